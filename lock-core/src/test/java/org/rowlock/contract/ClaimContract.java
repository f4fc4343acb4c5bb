package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Locks.on;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowMapper;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.ObservedDataSource;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** FOR UPDATE SKIP LOCKED, the queue. */
abstract class ClaimContract extends RowLockContract {
    private static final String GATE = "4711";

    private static final Claim READY =
            Claim.from("job").where("state = ?", "ready").orderBy("id");

    /** With the gate in front of the locks: where the predicate is, and where it is on the row alone. */
    static final List<Claim> GATED = List.of(READY.where("state = ? and gate()", "ready"), READY.orderBy("gate(), id"));

    ClaimContract(FirstLockContracts of) {
        super(
                of,
                "create table job(id int primary key, state text not null default 'ready', priority int not null"
                        + " default 0, runs int not null default 0)",
                // True, once the gate is open: what a predicate that takes its time looks like.
                "create function gate() returns boolean language plpgsql as $$ begin"
                        + " perform pg_advisory_lock_shared(" + GATE + ");"
                        + " perform pg_advisory_unlock_shared(" + GATE + "); return true; end $$");
    }

    private void jobs(int count) throws SQLException {
        database.execute("insert into job select g from generate_series(1, " + count + ") g");
    }

    private List<Integer> claim(Session session, Claim claim) throws Exception {
        return claim(session, claim, "id");
    }

    private static List<Integer> range(int first, int last) {
        return IntStream.rangeClosed(first, last).boxed().toList();
    }

    private static LockKey job(int id) {
        return LockKey.row("job", id);
    }

    @Test
    void takesUpToTheLimitInTheOrder() throws Exception {
        jobs(10);
        database.execute("update job set priority = 9 where id in (4, 8)");

        assertThat(claim(alice, READY.orderBy("priority desc, id").limit(4))).containsExactly(4, 8, 1, 2);
        assertThat(claim(bob, READY.orderBy("priority desc, id").limit(100))).containsExactly(3, 5, 6, 7, 9, 10);
    }

    /**
     * The one-call form: the rows that another holds are skipped, and what the work adds goes with the commit. A
     * rollback makes rows claimable again.
     */
    @Test
    void aClaimInATransactionOfItsOwnWorksAndCommits() throws Exception {
        jobs(5);
        assertThat(claim(bob, READY.limit(2))).containsExactly(1, 2);
        ObservedDataSource dataSource = new ObservedDataSource(database.dataSource());
        RowMapper<Integer> mapper = row -> row.getInt("id");
        List<Integer> done = on(locks, dataSource).claim(READY.limit(2), mapper).inTransaction(tx -> {
            tx.atCommit()
                    .addBatch("update job set state = 'done' where id = ?", tx.rows())
                    .expectOneRow();
            return tx.rows();
        });
        assertThat(done).containsExactly(3, 4);
        assertThat(dataSource.calls()).containsSubsequence("setAutoCommit(false)", "setAutoCommit(true)", "close");
        assertThatThrownBy(() -> on(locks, dataSource).claim(READY, mapper).inTransaction(tx -> {
                    tx.atCommit().addBatch("update job set state = 'done' where id = ?", tx.rows());
                    throw new IllegalStateException("no work");
                }))
                .hasMessage("no work");
        bob.rollback();
        assertThat(claim(alice, READY.limit(10))).containsExactly(1, 2, 5);
        alice.rollback();
        int none = on(locks, dataSource)
                .claim(READY.where("id > 5"), mapper)
                .inTransaction(tx -> tx.rows().size());
        assertThat(none).isZero();
        assertThat(dataSource.open()).isZero();
        assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
    }

    @Test
    void takesOneByDefault() throws Exception {
        jobs(3);

        assertThat(claim(alice, READY)).containsExactly(1);
        assertThat(claim(alice, Claim.from("job"))).hasSize(1);
    }

    @Test
    void whatIsClaimedIsLocked() throws Exception {
        jobs(3);
        claim(alice, READY.limit(2));

        assertThat(isFree(job(1))).isFalse();
        assertThat(isFree(job(2))).isFalse();
        assertThat(isFree(job(3))).isTrue();
        Step<LockResult> waiting = startLock(bob, job(2)).awaitBlockedBy(alice);
        alice.commit();
        assertThat(waiting.get().isHeld()).isTrue();
    }

    @Test
    void skipsWhatOthersHoldAndDoesNotWait() throws Exception {
        jobs(6);
        lock(alice, job(1));
        lockAll(alice, List.of(job(3), job(4)));

        assertThat(claim(bob, READY.limit(2))).containsExactly(2, 5);
        assertThat(claim(bob, READY.limit(10)))
                .as("what one holds oneself is not skipped")
                .containsExactly(2, 5, 6);
    }

    @Test
    void twoClaimersGetDisjointRows() throws Exception {
        jobs(10);

        assertThat(claim(alice, READY.limit(4))).isEqualTo(range(1, 4));
        assertThat(claim(bob, READY.limit(4))).isEqualTo(range(5, 8));
        assertThat(claim(alice, READY.limit(4))).isEqualTo(range(1, 4));
    }

    @Test
    void rollbackToASavepointMakesTheRowsClaimableAgain() throws Exception {
        jobs(3);
        claim(alice, READY);
        alice.execute("savepoint here");
        assertThat(claim(alice, READY.limit(3))).hasSize(3);
        alice.execute("rollback to savepoint here");

        assertThat(claim(bob, READY.limit(3))).containsExactly(2, 3);
    }

    @Test
    void noRowsAreAnEmptyList() throws Exception {
        assertThat(claim(alice, READY.limit(10))).isEmpty();
        jobs(3);
        assertThat(claim(alice, READY.where("state = 'none'"))).isEmpty();
        assertThat(claim(alice, READY.limit(3))).hasSize(3);
        assertThat(claim(bob, READY)).isEmpty();
        assertThat(advisoryLocksOf(bob)).isZero();
    }

    @Test
    void locksNoMoreThanItReturns(Session carol) throws Exception {
        jobs(60);
        lockAll(alice, List.of(job(2), job(5)));

        List<Integer> claimed = claim(bob, READY.limit(7));

        assertThat(claimed).containsExactly(1, 3, 4, 6, 7, 8, 9);
        assertThat(advisoryLocksOf(bob)).isEqualTo(advisoryLocksFor(7));
        assertThat(claim(carol, READY.limit(100))).isEqualTo(range(10, 60));
    }

    @Test
    void pagesOnWhenOthersHoldTheHeadOfTheQueue() throws Exception {
        jobs(110);
        lockAll(alice, LockKey.rows("job", range(1, 100)));

        assertThat(claim(bob, READY.limit(3))).containsExactly(101, 102, 103);
        assertThat(advisoryLocksOf(bob)).isEqualTo(advisoryLocksFor(3));
        bob.rollback();
        assertThat(claim(bob, READY.limit(50))).isEqualTo(range(101, 110));
    }

    @Test
    void pagesOnWithAPredicateThatHasAnOr() throws Exception {
        jobs(60);
        database.execute(
                "update job set state = 'again' where id % 2 = 0", "update job set state = 'done' where id > 55");
        lockAll(alice, LockKey.rows("job", range(1, 50)));
        Claim claim = READY.where("state = ? or state = ?", "ready", "again");

        assertThat(claim(bob, claim.limit(4))).containsExactly(51, 52, 53, 54);
        bob.rollback();
        assertThat(claim(bob, claim.limit(40))).isEqualTo(range(51, 55));
    }

    /**
     * Claims up to the gate, while a holder of jobs changes them, and opens the gate when the holder has committed.
     *
     * @param column what is returned of each job
     */
    private List<Integer> claimWhileHeld(Claim gated, String column, String change, int... held) throws Exception {
        Session carol = database.session("carol");
        carol.execute("select pg_advisory_xact_lock(" + GATE + ")");
        for (int id : held) {
            lock(alice, job(id));
        }
        Step<List<Integer>> step = bob.start(c -> locks.in(c).claim(gated, row -> row.getInt(column)));
        step.awaitBlockedBy(carol);

        alice.execute(change);
        alice.commit();
        carol.commit();
        return step.get();
    }

    @ParameterizedTest
    @FieldSource("GATED")
    void aRowThatItsHolderFinishedBeforeTheLockIsNotReturned(Claim gated) throws Exception {
        jobs(3);

        assertThat(claimWhileHeld(gated.limit(3), "id", "update job set state = 'done' where id = 1", 1))
                .containsExactly(2, 3);
    }

    @Test
    void aRowThatAnotherTableSaysIsFinishedIsNotReturned() throws Exception {
        jobs(3);
        database.execute("create table finished(job int primary key)");
        Claim unfinished = READY.where("gate() and not exists (select from finished where finished.job = job.id)");

        // SKIP LOCKED looks at the locked row alone, and sees the other table as it was.
        assertThat(claimWhileHeld(unfinished.limit(3), "id", "insert into finished values (1)", 1))
                .isEqualTo(strategy() == LockStrategy.ROW ? List.of(1, 2, 3) : List.of(2, 3));
    }

    @ParameterizedTest
    @FieldSource("GATED")
    void aRowThatItsHolderDeletedBeforeTheLockIsNotReturned(Claim gated) throws Exception {
        jobs(3);

        assertThat(claimWhileHeld(gated.limit(3), "id", "delete from job where id = 2", 2))
                .containsExactly(1, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aFinishedRowDoesNotCountTowardsTheLimitWhileThereAreOthers(int limit) throws Exception {
        jobs(5);
        Claim gated = GATED.get(0).limit(limit);

        assertThat(claimWhileHeld(gated, "id", "update job set state = 'done' where id = 1", 1))
                .isEqualTo(range(2, 1 + limit));
    }

    @ParameterizedTest
    @FieldSource("GATED")
    void theRowsAfterFinishedOnesAreNotPassedOver(Claim gated) throws Exception {
        jobs(100);

        assertThat(claimWhileHeld(gated.limit(2), "id", "update job set state = 'done' where id < 3", 1, 2))
                .containsExactly(3, 4);
    }

    @ParameterizedTest
    @FieldSource("GATED")
    void theReturnedRowIsAsItsLastHolderLeftIt(Claim gated) throws Exception {
        jobs(1);

        assertThat(claimWhileHeld(gated, "priority", "update job set priority = 5 where id = 1", 1))
                .containsExactly(5);
    }

    @Test
    void manyWorkersEmptyAQueueAndNoJobRunsTwice() throws Exception {
        int jobs = 300;
        jobs(jobs);
        List<Step<?>> steps = new ArrayList<>();
        ConcurrentLinkedQueue<Integer> done = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 6; i++) {
            Session worker = database.session("worker " + i);
            int limit = 1 + i % 4;
            steps.add(worker.start(c -> work(c, limit, done)));
        }
        for (Step<?> step : steps) {
            step.get();
        }

        assertThat(done).hasSize(jobs).doesNotHaveDuplicates();
        assertThat(database.query("select count(*) from job where runs = 1 and state = 'done'"))
                .isEqualTo(String.valueOf(jobs));
    }

    private Void work(Connection connection, int limit, ConcurrentLinkedQueue<Integer> done) throws SQLException {
        while (!database.query("select count(*) from job where state = 'ready'").equals("0")) {
            List<Integer> ids = locks.in(connection).claim(READY.limit(limit), row -> row.getInt("id"));
            for (int id : ids) {
                TestDatabase.execute(connection, "update job set state = 'done', runs = runs + 1 where id = " + id);
                done.add(id);
            }
            connection.commit();
        }
        return null;
    }

    @Test
    void theMapperSeesEveryColumnOfTheTableInItsPlace() throws Exception {
        jobs(1);

        List<String> rows =
                alice.run(c -> locks.in(c).claim(READY, row -> row.getInt(1) + row.getString(2) + row.getInt(4)));

        assertThat(rows).containsExactly("1ready0");
    }

    @Test
    void anExceptionOfTheMapperReachesTheCallerUnwrapped() throws Exception {
        jobs(3);
        forEach(List.of(new SQLException("no such thing"), new IllegalStateException("no such thing")), thrown -> {
            assertThatThrownBy(() -> alice.run(c -> locks.in(c).claim(READY, throwing(thrown))))
                    .isSameAs(thrown);

            assertThat(claim(alice, READY.limit(3)))
                    .as("the transaction is usable")
                    .hasSize(3);
        });
    }

    @Test
    void aPredicateIsAnyConditionOfSql() throws Exception {
        jobs(30);
        database.execute("update job set state = 'done' where id = 3");
        List<String> predicates = List.of(
                "state = 'ready' -- and nothing else",
                "state = 'ready' /* and nothing else */",
                "-- first\nstate = 'ready'",
                "job.state = 'ready'",
                "exists (select 1 from job j where j.id = job.id and j.state = 'ready')",
                "state = 'ready' and ';' = $$;$$",
                "false or state = 'ready'");
        forEach(predicates, predicate -> {
            lockAll(alice, LockKey.rows("job", range(5, 25)));

            assertThat(claim(bob, READY.where(predicate).limit(5))).containsExactly(1, 2, 4, 26, 27);
        });
    }

    @Test
    void anOrderIsAnyOrderOfSql() throws Exception {
        jobs(30);
        List<String> orders =
                List.of("id -- the oldest first", "job.id", "priority desc nulls last, id asc", "-id desc, state");
        forEach(orders, order -> {
            lockAll(alice, LockKey.rows("job", range(2, 25)));

            assertThat(claim(bob, READY.orderBy(order).limit(3))).containsExactly(1, 26, 27);
        });
    }

    @Test
    void nullsCanBeBound() throws Exception {
        jobs(2);

        assertThat(claim(alice, READY.where("state = coalesce(?::text, 'ready') and priority = ?", null, 0)))
                .containsExactly(1);
    }

    @Test
    void anInvalidPredicateIsTheServersOwnException() throws Exception {
        jobs(2);
        List<String> predicatesAndStates =
                List.of("nothing = 1|42703", "state = |42601", "1 / (id - id) = 1|22012", "id = 'abc'|22P02");
        forEach(predicatesAndStates, predicateAndState -> {
            String[] parts = predicateAndState.split("\\|");

            assertThatThrownBy(() -> claim(alice, READY.where(parts[0]))).satisfies(sqlState(parts[1]));
        });
    }

    @Test
    void anyNameOfATableWillDo() throws Exception {
        List<String> patterns = List.of(
                "\"order\"",
                "\"MixedCase\"",
                "MixedCase",
                "%s.job2",
                "%s.\"user\"",
                "\"a \"\"b\"\" c\"",
                "k",
                "d",
                "rowlock");
        forEach(patterns, pattern -> {
            String name = String.format(pattern, database.schema());
            database.execute(
                    "create table " + name + "(\"Id\" int primary key, \"select\" text)",
                    "insert into " + name + " select g, 'x' from generate_series(1, 40) g");
            Claim claim = Claim.from(name).where("\"select\" = ?", "x").orderBy("\"Id\"");
            lockAll(alice, LockKey.rows(name, range(1, 30)));

            assertThat(claim(bob, claim.limit(2), "Id")).containsExactly(31, 32);
            assertThat(isFree(LockKey.row(name, 32))).isFalse();
        });
    }

    @Test
    void columnsMayBeNamedAsTheLibraryNamesItsOwn() throws Exception {
        database.execute(
                "create table task(n int primary key, rowlock text, k int, c int, o int, b int, d int, s text, t int,"
                        + " claimed text, ordinality int, root int, r int, g int)",
                "insert into task select x, 'ready', x, x, x, x, x, 'x', x, 'x', x, x, x, x from generate_series(1, 40) x");
        Claim claim = Claim.from("task")
                .where(
                        "rowlock = ? and k + c + o + b + d + t + ordinality + root + r + g = 10 * n and s = claimed",
                        "ready")
                .orderBy("n, k, c, o, b, d");
        lockAll(alice, LockKey.rows("task", range(1, 30)));

        assertThat(claim(bob, claim.limit(2), "n")).containsExactly(31, 32);
    }

    @Test
    void compositeIdsAreClaimed() throws Exception {
        database.execute(
                "create table seat(hall text, number int, free boolean default true, primary key (hall, number))",
                "insert into seat select h, g from unnest(array['A', 'B']) h, generate_series(1, 20) g");
        Claim claim = Claim.from("seat").where("free").orderBy("number, hall");
        lockAll(
                alice,
                range(1, 18).stream()
                        .flatMap(number ->
                                List.of(LockKey.row("seat", "A", number), LockKey.row("seat", "B", number)).stream())
                        .toList());

        List<String> seats =
                bob.run(c -> locks.in(c).claim(claim.limit(3), row -> row.getString("hall") + row.getInt("number")));

        assertThat(seats).containsExactly("A19", "B19", "A20");
        assertThat(isFree(LockKey.row("seat", "B", 19))).isFalse();
        assertThat(isFree(LockKey.row("seat", "B", 20))).isTrue();
    }

    @Test
    void idsOfOtherTypesAreClaimed() throws Exception {
        List<String> typesAndValues = List.of(
                "uuid|md5(g::text)::uuid",
                "timestamptz|timestamptz '2024-01-01Z' + interval '1.5 h' * g",
                "numeric|g * 300000000000000000000");
        forEach(typesAndValues, typeAndValue -> {
            String[] parts = typeAndValue.split("\\|");
            String table = "thing" + typesAndValues.indexOf(typeAndValue);
            database.execute(
                    "create table " + table + "(id " + parts[0] + " primary key, number int)",
                    "insert into " + table + " select " + parts[1] + ", g from generate_series(1, 60) g");
            Claim claim = Claim.from(table).where("number > ?", 0).orderBy("number");

            assertThat(claim(alice, claim.limit(50), "number")).isEqualTo(range(1, 50));
            assertThat(claim(bob, claim.limit(2), "number")).containsExactly(51, 52);
            assertThat(claim(bob, claim.limit(20), "number")).isEqualTo(range(51, 60));
        });
    }

    @Test
    void idColumnsMayBeGiven() throws Exception {
        database.execute(
                "create table event(source text not null, number int not null, unique (source, number))",
                "insert into event select 'a', g from generate_series(1, 5) g");
        RowLocks given = LockAccess.builder()
                .strategy(strategy())
                .idColumns("event", "source", "number")
                .build();
        Claim claim = Claim.from("event").orderBy("number").limit(2);
        RowMapper<Integer> number = row -> row.getInt("number");

        assertThat(alice.<List<Integer>>run(c -> given.in(c).claim(claim, number)))
                .containsExactly(1, 2);
        assertThat(bob.<List<Integer>>run(c -> given.in(c).claim(claim, number)))
                .containsExactly(3, 4);
    }
}
