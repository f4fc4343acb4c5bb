package org.rowlock.contract;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.assertIllegal;
import static org.rowlock.testing.Locks.on;

import java.sql.Connection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockSerializationException;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.RowAbsentException;
import org.rowlock.RowlockException;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.Waits;

/** Rows that are locked, or made. */
abstract class InsertContract extends RowLockContract {
    private static final String READ = "select n from counter where id = ?";
    private static final String ADDS = "insert into named(id) select count(*) + 1 from named returning id";
    private static final LockKey KEY = row("counter", "a");

    InsertContract(FirstLockContracts of) {
        super(
                of,
                "create table counter(id text primary key, n int not null)",
                "create table named(id int primary key, name text unique, n int not null default 0)",
                "insert into counter values ('there', 7)");
    }

    private static LockRequest orInsert(String id, int n) {
        return forUpdate(row("counter", id)).orInsert("insert into counter(id, n) values (?, ?) -- made", id, n);
    }

    private String committed(String id) throws Exception {
        return database.query("select string_agg(n::text, ' ') from counter where id = '" + id + "'");
    }

    @Test
    void anAbsentRowIsInsertedAndLocked() throws Exception {
        forEach(Waits.ALL, wait -> {
            LockResult result = lock(alice, Requests.waiting(orInsert("a", 3), wait));

            assertThat(result.isHeld()).isTrue();
            assertThat(result.absentRows()).isEmpty();
            assertThat(query(alice, "select n from counter where id = 'a'")).isEqualTo("3");
            assertThat(isFree(KEY)).isFalse();
            assertThat(advisoryLocksOf(alice)).isEqualTo(advisoryLocksFor(1));
        });
        assertThat(committed("a")).isNull();
    }

    @Test
    void aRowThatIsThereIsLockedAndNotChanged() throws Exception {
        forEach(Waits.ALL, wait -> {
            assertThat(lock(alice, Requests.waiting(orInsert("there", 3), wait)).isHeld())
                    .isTrue();

            assertThat(query(alice, "select n from counter where id = 'there'")).isEqualTo("7");
            assertThat(isFree(row("counter", "there"))).isFalse();
        });
    }

    @Test
    void ofTwoThatInsertTheSecondWaitsAndLocksTheFirstsRow() throws Exception {
        lock(alice, orInsert("a", 3));

        Step<LockResult> second = startLock(bob, orInsert("a", 4)).awaitBlockedBy(alice);
        alice.commit();

        assertThat(second.get().isHeld()).isTrue();
        assertThat(query(bob, "select n from counter where id = 'a'")).isEqualTo("3");
        assertThat(isFree(KEY)).isFalse();
    }

    @Test
    void ifTheFirstRollsBackTheSecondInserts() throws Exception {
        lock(alice, orInsert("a", 3));

        Step<LockResult> second = startLock(bob, orInsert("a", 4)).awaitBlockedBy(alice);
        alice.rollback();

        assertThat(second.get().isHeld()).isTrue();
        bob.commit();
        assertThat(committed("a")).isEqualTo("4");
    }

    @Test
    void whoDoesNotWaitIsToldThatItIsTakenAndCanGoOn() throws Exception {
        forEach(List.of(true, false), begun -> {
            lock(alice, orInsert("a", 3));
            if (begun) {
                bob.execute("insert into named(id) values (1)");
            }
            LockResult tried = bob.run(c -> locks.in(c).tryLock(orInsert("a", 4)));
            assertThat(tried.state()).isEqualTo(LockResult.State.TAKEN);
            assertThatThrownBy(() -> lock(bob, orInsert("a", 4).atMost(ofMillis(20))))
                    .isInstanceOf(LockNotAvailableException.class);
            assertThat(advisoryLocksOf(bob)).isZero();
            assertThat(query(bob, "select count(*) from named")).isEqualTo(begun ? "1" : "0");
        });
    }

    /** The insert has found the row, and the lock behind it does not. */
    @Test
    void aRowThatIsDeletedMeanwhileIsInsertedAnew() throws Exception {
        forEach(List.of(true, false), queried -> {
            lock(alice, orInsert("there", 0));
            alice.execute("delete from counter where id = 'there'");

            Step<List<Integer>> second = bob.start(c -> queried
                    ? locks.in(c).lockAndRead(orInsert("there", 5), READ, Integer.class, "there")
                    : List.of(locks.in(c).lock(orInsert("there", 5)).isHeld() ? 5 : 0));
            second.awaitBlockedBy(alice);
            alice.commit();

            assertThat(second.get()).containsExactly(5);
            bob.commit();
            assertThat(committed("there")).isEqualTo("5");
        });
    }

    /** It may have written, and a row that has to be made twice must not have it write twice. */
    @Test
    void aQueryBehindARowThatIsInsertedAnewIsDoneOnce() throws Exception {
        for (boolean begun : List.of(true, false)) {
            alice.execute("select from counter where id = 'there' for update");
            if (begun) {
                bob.execute("select 1");
            }
            Step<List<Integer>> second =
                    bob.start(c -> locks.in(c).lockAndRead(orInsert("there", 5), ADDS, Integer.class));
            if (strategy() != LockStrategy.ADVISORY) {
                second.awaitBlockedBy(alice);
            }
            alice.execute("delete from counter where id = 'there'");
            alice.commit();

            if (begun && strategy() != LockStrategy.ADVISORY) {
                assertThat(second.failure()).isInstanceOf(LockSerializationException.class);
            } else {
                assertThat(second.get()).containsExactly(1);
                assertThat(query(bob, "select count(*) from named")).isEqualTo("1");
            }
            bob.rollback();
            database.execute("insert into counter values ('there', 7)");
        }
    }

    @Test
    void anInsertThatDoesNotMakeTheRowIsUndoneWithTheQueryBehindIt() throws Exception {
        LockRequest other = forUpdate(KEY).orInsert("insert into counter values ('b', 1)");
        for (boolean begun : List.of(true, false)) {
            if (begun) {
                bob.execute("select 1");
            }
            Step<List<Integer>> step = bob.start(c -> locks.in(c).lockAndRead(other, ADDS, Integer.class));
            if (strategy() == LockStrategy.ADVISORY) {
                assertThat(step.get()).containsExactly(1);
                assertThat(query(bob, "select count(*) from named")).isEqualTo("1");
                bob.rollback();
                continue;
            }
            assertThat(step.failure())
                    .isInstanceOf(RowAbsentException.class)
                    .hasMessageContaining(begun ? "aborted" : "Nothing is inserted");
            if (begun) {
                assertThatThrownBy(() -> query(bob, "select 1")).hasMessageContaining("aborted");
            }
            bob.commit();
            assertThat(query(bob, "select count(*) from named")).isEqualTo("0");
            assertThat(query(bob, "select count(*) from counter where id = 'b'"))
                    .isEqualTo("0");
            bob.rollback();
        }
    }

    @Test
    void everyEntranceInsertsAndLocks() throws Exception {
        assertThat(alice.<List<Integer>>run(c -> locks.in(c).lockAndRead(orInsert("a", 3), READ, Integer.class, "a")))
                .containsExactly(3);
        alice.commit();
        String read = on(locks, database.dataSource())
                .lock(orInsert("b", 4))
                .read(READ, Integer.class, "b")
                .inTransaction(tx -> tx.rows().toString());
        assertThat(read).isEqualTo("[4]");
        CommitWrites writes = new CommitWrites();
        writes.add("update counter set n = n + 10 where id in ('b', 'c')").expectRows(2);
        on(locks, database.dataSource()).lock(orInsert("c", 5)).execute(writes);

        assertThat(List.of(committed("a"), committed("b"), committed("c"))).containsExactly("3", "14", "15");
    }

    @Test
    void severalAreInsertedAndLockedTogether() throws Exception {
        lock(alice, orInsert("a", 1).and(orInsert("b", 1)).and(forShare(row("counter", "there"))));

        Step<LockResult> second =
                startLock(bob, orInsert("c", 2).and(orInsert("b", 2)).and(orInsert("a", 2)));
        second.awaitBlockedBy(alice);
        alice.commit();

        assertThat(second.get().isHeld()).isTrue();
        bob.commit();
        assertThat(committed("a") + committed("b") + committed("c")).isEqualTo("112");
    }

    @Test
    void inRepeatableReadTheRowOfTheFirstIsRefused() throws Exception {
        lock(alice, orInsert("a", 3));
        bob.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        if (strategy() == LockStrategy.ADVISORY) {
            assertThatThrownBy(() -> lock(bob, orInsert("a", 4))).isInstanceOf(LockTransactionException.class);
            return;
        }

        Step<List<Integer>> second =
                bob.start(c -> locks.in(c).lockAndRead(orInsert("a", 4), READ, Integer.class, "a"));
        second.awaitBlockedBy(alice);
        alice.commit();

        assertThat(second.failure()).isInstanceOf(LockSerializationException.class);
        bob.rollback();
    }

    @Test
    void anInsertThatDoesNotMakeTheRowIsAnError() throws Exception {
        database.execute("insert into named(id, name) values (1, 'one')");
        List<LockRequest> requests = List.of(
                forUpdate(row("named", 2)).orInsert("insert into named(id) values (?)", 3),
                forUpdate(row("named", 2)).orInsert("insert into named(id, name) values (?, ?)", 2, "one"));
        forEach(requests, request -> {
            if (strategy() == LockStrategy.ADVISORY) {
                assertThat(lock(alice, request).isHeld()).isTrue();
                return;
            }
            assertThatThrownBy(() -> lock(alice, request))
                    .isInstanceOf(RowAbsentException.class)
                    .hasMessageContainingAll("named[2]", "orInsert()", "unique column");
            assertThat(query(alice, "select count(*) from named where id = 3")).isEqualTo("0");
        });
    }

    /** The id is right, and so are the columns of the key. */
    @Test
    void theServersErrorOfTheInsertIsThrownAsThatOfAnyStatementOfTheCaller() throws Exception {
        Map<String, String> failing = Map.of(
                "insert into counter(id) values (cast(? as text))", "23502",
                "insert into counter(id, n) values ('a', cast(? as smallint))", "22003",
                "insert into counter(id, m) values ('a', ?)", "42703");
        for (Map.Entry<String, String> insert : failing.entrySet()) {
            LockRequest request = forUpdate(KEY).orInsert(insert.getKey(), 40_000);
            List<Session.Body<?>> declaring = List.of(
                    c -> locks.in(c).lockAndRead(request, READ, Integer.class, "there"),
                    c -> on(locks, OneConnection.of(c)).lock(request).inTransaction(tx -> "unreached"),
                    c -> on(locks, OneConnection.of(c))
                            .lock(request)
                            .read(READ, Integer.class, "there")
                            .inTransaction(tx -> "unreached"),
                    c -> on(locks, OneConnection.of(c)).lock(request).execute("update counter set n = n + 10"));
            for (Session.Body<?> door : declaring) {
                assertThatThrownBy(() -> alice.run(door))
                        .isInstanceOfSatisfying(
                                PSQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo(insert.getValue()));
                alice.rollback();
            }
            List<Session.Body<?>> others = List.of(
                    c -> locks.in(c).lock(request),
                    c -> locks.in(c).tryLock(request).isHeld());
            for (Session.Body<?> door : others) {
                assertThatThrownBy(() -> alice.run(door))
                        .isExactlyInstanceOf(RowlockException.class)
                        .satisfies(e ->
                                assertThat(((RowlockException) e).sqlState()).contains(insert.getValue()))
                        .hasCauseInstanceOf(PSQLException.class)
                        .hasMessageContainingAll("counter[a]", "INSERT of orInsert() failed", "roll back")
                        .hasMessageNotContainingAny("Give an id", "RowLocksBuilder");
                alice.rollback();
            }
        }
        assertThat(isFree(row("counter", "there"))).isTrue();
        assertThat(committed("there")).isEqualTo("7");
    }

    @Test
    void whatIsNoInsertIsRefusedBeforeAnyLock() throws Exception {
        for (LockRequest request : List.of(
                forUpdate(KEY).orInsert("update counter set n = 1"),
                forUpdate(KEY).orInsert("insert into counter values ('a', 1); commit"),
                forUpdate(KEY).orInsert("insert into counter values (?, 1) returning n", "a"),
                forUpdate(KEY).orInsert("insert into counter values (?, ?)", "a"))) {
            assertIllegal(() -> lock(alice, request), "orInsert()", "Nothing is locked");
            assertThat(advisoryLocksOf(alice)).isZero();
        }
    }
}
