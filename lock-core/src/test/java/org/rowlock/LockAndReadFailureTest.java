package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Requests;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Waits;

/** What fails in the caller's own query or mapper is the caller's SQLException, and is not blamed on the lock. */
class LockAndReadFailureTest {
    private static final LockKey KEY = LockKey.row("account", 1);

    /** What looks like the answers of a check. */
    private static final List<String> FORGED = List.of(
            "rowlock:taken",
            "rowlock:taken:off",
            "rowlock:stale:",
            "rowlock:repeatable read/off/:",
            "rowlock:serializable;drop table secret;commit;begin;--/off/:",
            "\":serializable;drop table secret;commit;begin;--/off/:");

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1, "create table secret(id int)");

    private Throwable failure(LockStrategy strategy, Session session, String sql, int column) throws Exception {
        RowLocks locks = locks(strategy);
        return session.start(c -> locks.in(c).lockAndRead(forUpdate(KEY), sql, row -> row.getInt(column)))
                .failure();
    }

    @EveryStrategy
    void aRowThatTheQueryDoesNotWaitForIsTheCallers(LockStrategy strategy, Session bob) throws Exception {
        database.execute("insert into account values (2)");
        bob.execute("select from account where id = 2 for update");

        assertThat(failure(
                        strategy,
                        database.session("alice"),
                        "select id from account where id = 2 for update nowait",
                        1))
                .satisfies(sqlState("55P03"));
    }

    /** The query has run without the lock, so its writes must not stay in a transaction that is reported as usable. */
    @EveryStrategy.WithRow
    void aQueryBehindADeletedRowThatIsThenTakenIsUndone(
            RowLocks locks, Session alice, Session bob, Session carol, Session dave) throws Exception {
        database.execute("create table written(id int primary key)");
        dave.execute("select pg_advisory_xact_lock(77)");
        alice.execute("select from account where id = 1 for update");
        bob.execute("select 1");
        Step<List<Integer>> query = bob.start(c -> locks.in(c)
                .lockAndRead(
                        forUpdate(KEY)
                                .orInsert("insert into account values (1)")
                                .atMost(Duration.ofSeconds(3)),
                        "insert into written select 1 from (select pg_advisory_xact_lock(77) offset 0) as l"
                                + " returning id",
                        found -> found.getInt(1)));
        query.awaitBlockedBy(alice);
        alice.execute("delete from account where id = 1");
        alice.commit();
        query.awaitBlockedBy(dave);
        carol.execute("insert into account values (1)");
        dave.rollback();
        assertThat(query.failure()).isInstanceOf(RowlockException.class);
        bob.commit();
        carol.rollback();
        assertThat(database.query("select count(*) from written")).isEqualTo("0");
    }

    /** Whichever of the keys it is of. */
    @EveryStrategy.WithRow
    void anIdOrATableThatCannotBeLockedIsTheLocks(RowLocks locks, Session alice) throws Exception {
        database.execute(
                "create type mood as enum ('good', 'bad')",
                "create table day(mood mood primary key)",
                "insert into day values ('good')");
        alice.execute("set role " + database.role("select, update on day", "select on account"));
        alice.commit();
        LockKey good = LockKey.row("day", "good");
        for (LockKey wrong : List.of(LockKey.row("day", "none"), KEY)) {
            assertThat(alice.start(c -> locks.in(c)
                                    .lockAndRead(forUpdate(List.of(good, wrong)), "select 1", row -> row.getInt(1)))
                            .failure())
                    .isInstanceOf(LockTargetException.class);
            alice.rollback();
        }
    }

    /** Privileges and policies of other tables, and what the server does not get from another, is no failure to lock. */
    @EveryStrategy
    void whatOnlyTheQueryCanFailByIsTheCallers(LockStrategy strategy, Session alice) throws Exception {
        database.execute(
                "alter table account enable row level security",
                "create policy ones on account using (id = 1)",
                "create function ask() returns int language plpgsql as $$begin raise exception"
                        + " 'could not connect to server' using errcode = '08001'; end$$");
        alice.execute("set role " + database.role("select, update on account"));
        alice.commit();
        Map<String, String> failing = Map.of(
                "select count(*) from secret", "42501",
                "update account set id = 2 returning id", "42501",
                "select ask()", "08001");
        for (Map.Entry<String, String> each : failing.entrySet()) {
            assertThat(failure(strategy, alice, each.getKey(), 1)).satisfies(sqlState(each.getValue()));
            alice.rollback();
        }
    }

    /** The query's value may look like the id, which of a text or an int cannot be what failed. */
    @EveryStrategy
    void aBadCastOfTheQueryIsTheCallers(RowLocks locks, Session alice) throws Exception {
        database.execute("create table note(id text primary key)", "insert into note values ('abc')");
        Throwable failure = alice.start(c -> locks.in(c)
                        .lockAndRead(
                                forUpdate(LockKey.row("note", "abc")),
                                "select cast(id as int) from note",
                                row -> row.getInt(1)))
                .failure();
        assertThat(failure).satisfies(sqlState("22P02"));
    }

    @EveryStrategy
    void theNextLockAfterAnErrorOfTheQueryTakesOneRoundTrip(LockStrategy strategy, RowLocks locks) throws Exception {
        PGSimpleDataSource dataSource = RoundTripCounter.counting(database.dataSource());
        Session alice = database.session("alice", dataSource);
        lock(alice, locks, forUpdate(KEY));
        alice.rollback();
        for (String sql :
                List.of("select nothing from account", "select no_function(1)", "select 1 / (id - 1) from account")) {
            failure(strategy, alice, sql, 1);
            alice.rollback();
            alice.start(c -> locks.in(c).lockAndRead(forUpdate(KEY), sql, row -> row.getInt(1)))
                    .failure();
            alice.rollback();
            int roundTrips = alice.run(c -> {
                int before = RoundTripCounter.counted();
                locks.in(c).lock(forUpdate(KEY));
                return RoundTripCounter.counted() - before;
            });
            assertThat(roundTrips).as(sql).isOne();
            alice.rollback();
        }
    }

    /** The row lock of the new row is not the one that was waited for. */
    @EveryStrategy.WithRow
    void aRowThatIsReplacedDuringTheWaitIsLockedOrTheCallSaysSo(RowLocks locks) throws Exception {
        for (boolean begun : List.of(false, true)) {
            Session alice = database.session("alice");
            Session plain = database.session("plain");
            Session other = database.session("other");
            plain.execute("select 1 from account where id = 1 for update");
            if (begun) {
                alice.execute("select 1");
            }
            Step<List<Integer>> step = alice.start(c -> locks.in(c)
                            .lockAndRead(forUpdate(KEY), "select id from account where id = 1", row -> row.getInt(1)))
                    .awaitBlockedBy(plain);
            plain.execute("delete from account where id = 1; insert into account values (1)");
            plain.commit();
            if (begun) {
                assertThat(step.failure())
                        .isInstanceOf(LockSerializationException.class)
                        .hasMessageContaining("inserted while");
                assertThat(alice.start(c -> c.createStatement().execute("select 1"))
                                .failure())
                        .hasMessageContaining("aborted");
            } else {
                assertThat(step.get()).containsExactly(1);
                assertThat(other.startExecute("select 1 from account for update nowait")
                                .failure())
                        .hasMessageContaining("could not obtain lock");
            }
            alice.rollback();
            other.rollback();
        }
    }

    /** The row that was not there to be locked is the query's own. */
    @EveryStrategy
    void aQueryMayInsertTheRow(RowLocks locks) throws Exception {
        int id = 10;
        for (LockWait wait : Waits.ALL) {
            for (boolean begun : List.of(false, true)) {
                int inserted = id++;
                Session alice = database.session("alice");
                if (begun) {
                    alice.execute("insert into secret values (1)");
                }
                List<Integer> ids = alice.run(c -> locks.in(c)
                        .lockAndRead(
                                Requests.waiting(forUpdate(LockKey.row("account", inserted)), wait)
                                        .allowAbsent(),
                                "insert into account values (?) returning id",
                                row -> row.getInt(1),
                                inserted));
                assertThat(ids).containsExactly(inserted);
                alice.commit();
            }
        }
        assertThat(database.query("select count(*) from account")).isEqualTo("7");
    }

    /** As FOR UPDATE has it: the policies of SELECT show the row, and those of UPDATE do not. */
    @Tag("long")
    @EveryStrategy.WithRow
    void aRowThatMayBeSeenAndNotLockedIsAbsent(RowLocks locks, Session alice) throws Exception {
        database.execute(
                "alter table account enable row level security",
                "create policy seen on account for select using (true)",
                "create policy changed on account for update using (id <> 1)");
        alice.execute("set role " + database.role("select, update on account"));
        for (boolean begun : new boolean[] {true, false}) {
            assertThat(lock(alice, locks, forUpdate(KEY).allowAbsent()).absentRows())
                    .isNotEmpty();
            LockResult tried = alice.run(c -> locks.in(c).tryLock(forUpdate(KEY).allowAbsent()));
            assertThat(tried.state()).isNotEqualTo(LockResult.State.TAKEN);
            assertThat(tried.absentRows()).isNotEmpty();
            if (!begun) {
                alice.rollback();
            }
            List<Integer> seen = alice.run(c -> locks.in(c)
                    .lockAndRead(forUpdate(KEY).allowAbsent(), "select id from account", row -> row.getInt(1)));
            assertThat(seen).containsExactly(1);
            alice.commit();
        }
    }

    /** A view has no xmin, by which others' new rows are told from one's own. */
    @ParameterizedTest
    @ValueSource(strings = {"account", "seen"})
    void anAbsentRowOfColumnsThatAreGivenMayBeAllowed(String table, Session alice) throws Exception {
        database.execute("create view seen as select * from account");
        RowLocks locks = LockAccess.builder().idColumns(table, "id").build();
        LockKey absent = LockKey.row(table, 9);
        List<Integer> seen = alice.run(c ->
                locks.in(c).lockAndRead(forUpdate(absent).allowAbsent(), "select id from seen", row -> row.getInt(1)));
        assertThat(seen).containsExactly(1);
        // What the query has inserted itself was not inserted meanwhile; of a view it cannot be told.
        String insert = "insert into " + table + " values (9) returning id";
        Session.Body<List<Integer>> inserting =
                c -> locks.in(c).lockAndRead(forUpdate(absent).allowAbsent(), insert, row -> row.getInt(1));
        if (table.equals("account")) {
            assertThat(alice.run(inserting)).containsExactly(9);
        } else {
            assertThat(alice.start(inserting).failure()).isInstanceOf(LockSerializationException.class);
        }
    }

    /** The server quotes ids in its errors; none of them can pass for what a check says. */
    @EveryStrategy
    void anIdIsNotTakenForWhatACheckSays(LockStrategy strategy, RowLocks locks, Session alice) throws Exception {
        for (String forged : FORGED) {
            // Without id columns, any text is the id of a key.
            LockKey key = LockKey.row(strategy == LockStrategy.ADVISORY ? "secret" : "account", forged);
            for (Session.Body<?> body : List.<Session.Body<?>>of(
                    c -> locks.in(c).lock(forUpdate(key)),
                    c -> locks.in(c).tryLock(forUpdate(key)).isHeld(),
                    c -> locks.in(c).lock(forUpdate(List.of(key, KEY))))) {
                if (strategy == LockStrategy.ADVISORY) {
                    alice.run(body);
                } else {
                    assertThatThrownBy(() -> alice.run(body)).isExactlyInstanceOf(LockTargetException.class);
                }
                alice.rollback();
            }
        }
        assertThat(database.query("select count(*) from secret")).isEqualTo("0");
    }

    @EveryStrategy
    void aBindOfTheQueryIsNotTakenForWhatACheckSays(RowLocks locks, Session alice) throws Exception {
        for (String forged : FORGED) {
            for (LockWait wait : List.of(LockWait.FOREVER, LockWait.NO_WAIT)) {
                assertThatThrownBy(() -> alice.run(c -> locks.in(c)
                                .lockAndRead(
                                        Requests.waiting(forUpdate(KEY), wait),
                                        "select cast(cast(? as text) as int)",
                                        row -> row.getInt(1),
                                        forged)))
                        .satisfies(sqlState("22P02"));
                alice.rollback();
            }
        }
        assertThat(database.query("select count(*) from secret")).isEqualTo("0");
    }
}
