package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.internal.commit.CommitWay.KEY;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Locks.tryLock;
import static org.rowlock.testing.Refusals.state;
import static org.rowlock.testing.TestDatabase.execute;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrites;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.RowlockException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.group.Crowd;
import org.rowlock.servers.DriverModesTest;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Pools;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** With early release a commit lets go of the locks before it is durable, and returns when it is. */
@Tag("long")
class EarlyReleaseTest {
    @AutoClose("stop")
    private static final TestPostgres SERVER = TestPostgres.embedded(Map.of("synchronous_commit", "on"));

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            SERVER, 9, "create table child(account int references account deferrable initially deferred)");

    private static RowLocks locks(LockStrategy strategy, LockRelease release) {
        return LockAccess.builder().strategy(strategy).release(release).build();
    }

    private static RowLocks early(LockStrategy strategy) {
        return locks(strategy, LockRelease.EARLY);
    }

    private String balance() throws SQLException {
        return database.query("select balance from account where id = 1");
    }

    private void awaitWaitingForStandby(Session session) {
        TestDatabase.await(session + " waits for the standby")
                .until(() -> database.query(
                                "select count(*) from pg_stat_activity where wait_event = 'SyncRep' and pid = "
                                        + session.pid())
                        .equals("1"));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNotConfirmedIsSoToAllOfAGroup(LockRelease release) throws Exception {
        RowLocks locks = Crowd.builder(4).release(release).build();
        CommitWay.EXECUTE.add(locks, database.dataSource(), 0);
        List<Crowd.Caller> callers = new ArrayList<>();
        try (Crowd crowd = Crowd.behind(database, locks)) {
            for (int id = 1; id <= 4; id++) {
                CommitWrites writes = new CommitWrites();
                writes.add("update account set balance = balance + 1 where id = 1")
                        .expectOneRow();
                callers.add(crowd.add(writes));
            }
            try (AbsentStandby absent = AbsentStandby.require(database)) {
                crowd.start();
                TestDatabase.await("all are told").until(() -> {
                    database.query(
                            "select count(pg_cancel_backend(pid)) from pg_stat_activity where wait_event = 'SyncRep'");
                    return callers.stream().allMatch(Crowd.Caller::isDone);
                });
                absent.requireNoMore();
            }
        }
        for (Crowd.Caller each : callers) {
            assertThat(each.failure()).isInstanceOf(CommitNotConfirmedException.class);
        }
        assertThat(balance()).isEqualTo("4");
        assertThat(database.query("select count(distinct xmin::text) from account where id = 1"))
                .isEqualTo("1");
    }

    @EveryStrategy
    void othersGetTheLockWhileTheCommitWaitsForTheStandby(
            LockStrategy strategy, CommitWay way, Session writer, Session next) throws Exception {
        RowLocks locks = early(strategy);
        // Asks what the server can, and makes the tables' rows known.
        lock(writer, locks, forUpdate(KEY));
        writer.run(c -> commit(locks, c));
        try (AbsentStandby absent = AbsentStandby.require(database)) {
            Step<Void> step = writer.startAction(c -> way.add(locks, c, 5));
            awaitWaitingForStandby(writer);
            List<Long> seen = next.run(c -> locks.in(c)
                    .lockAndRead(forUpdate(KEY), "select balance from account where id = 1", row -> row.getLong(1)));
            assertThat(seen).containsExactly(5L);
            assertThat(step.isDone()).isFalse();
            next.rollback();
            absent.requireNoMore();
            step.get();
        }
        assertThat(balance()).isEqualTo("5");
    }

    private static Object commit(RowLocks locks, Connection connection) throws SQLException {
        locks.in(connection).commit(new CommitWrites());
        return null;
    }

    @EveryStrategy
    void aPlainCommitHoldsTheLockMeanwhile(LockStrategy strategy, Session writer, Session next) throws Exception {
        RowLocks locks = locks(strategy, LockRelease.PLAIN);
        try (AbsentStandby absent = AbsentStandby.require(database)) {
            Step<Void> step = writer.startAction(c -> CommitWay.WRITES.add(locks, c, 5));
            awaitWaitingForStandby(writer);
            assertThat(tryLock(next, locks, forUpdate(KEY))).isFalse();
            absent.requireNoMore();
            step.get();
        }
    }

    /** What it has read may be lost, so it hears of its own commit only when that is not so any more. */
    @ParameterizedTest
    @EnumSource(names = {"BARE", "EXECUTE"})
    void whoHasOnlyReadHearsOfItsCommitWhenWhatItHasReadIsDurable(CommitWay way, Session writer, Session reader)
            throws Exception {
        RowLocks locks = early(LockStrategy.ADVISORY);
        // Nobody else wants the key, so it is a plain commit that waits.
        Session.Body<Object> read = c -> {
            if (way == CommitWay.EXECUTE) {
                on(locks, OneConnection.of(c)).lock(forUpdate(KEY)).execute(new CommitWrites());
                return null;
            }
            return commit(locks, c);
        };
        lock(reader, locks, forUpdate(KEY));
        reader.run(c -> commit(locks, c));
        try (AbsentStandby absent = AbsentStandby.require(database)) {
            Step<Void> writing = writer.startAction(c -> CommitWay.WRITES.add(locks, c, 5));
            awaitWaitingForStandby(writer);
            if (way == CommitWay.BARE) {
                lock(reader, locks, forUpdate(KEY));
            }
            Step<Object> reading = reader.start(read);
            awaitWaitingForStandby(reader);
            assertThat(reading.isDone()).isFalse();
            absent.requireNoMore();
            writing.get();
            reading.get();
        }
    }

    @ParameterizedTest
    @EnumSource
    void commitsAreStoredInOneRoundTripInEveryModeOfTheDriver(CommitWay way) throws Exception {
        int sum = 0;
        for (String mode : List.of("extended", "extendedForPrepared", "extendedCacheEverything", "simple")) {
            for (String more : List.of("", "&prepareThreshold=1", "&prepareThreshold=0", "&autosave=always")) {
                PGSimpleDataSource dataSource =
                        DriverModesTest.set(database.dataSource(), "preferQueryMode=" + mode + more);
                dataSource.setSocketFactory(RoundTripCounter.class.getName());
                RowLocks plain = locks(LockStrategy.BOTH, LockRelease.PLAIN);
                RowLocks early = early(LockStrategy.BOTH);
                List<Integer> plainTrips = new ArrayList<>();
                List<Integer> earlyTrips = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    plainTrips.add(trips(way, plain, dataSource));
                    earlyTrips.add(trips(way, early, dataSource));
                    sum += 2;
                }
                // The first asks what the server can.
                assertThat(earlyTrips.get(7))
                        .as("round trips with %s%s", mode, more)
                        .isEqualTo(plainTrips.get(7));
            }
        }
        assertThat(balance()).isEqualTo(String.valueOf(sum));
    }

    private static int trips(CommitWay way, RowLocks locks, PGSimpleDataSource dataSource) throws SQLException {
        int before = RoundTripCounter.counted();
        way.add(locks, dataSource, 1);
        return RoundTripCounter.counted() - before;
    }

    /** What fails in front of the COMMIT or in it, by SQLSTATE. */
    private static Stream<Arguments> waysAndFailures() {
        return Stream.of(CommitWay.values())
                .flatMap(way -> Stream.of("23503", "P0001", "57014", "42501", "40001", "XX000")
                        .map(state -> Arguments.of(way, state)));
    }

    @ParameterizedTest
    @MethodSource("waysAndFailures")
    void whatFailsInTheCommitIsWhatAPlainCommitGives(CommitWay way, String state) throws Exception {
        database.execute("create function fail() returns trigger language plpgsql as $$ begin raise exception 'no'"
                + " using errcode = '" + state + "'; end $$");
        if (!state.equals("23503")) {
            database.execute("create constraint trigger fail after insert on child deferrable initially deferred"
                    + " for each row execute function fail()");
        }
        String insert = "insert into child values (" + (state.equals("23503") ? 999 : 1) + ")";
        for (String mode : List.of("extended", "simple")) {
            PGSimpleDataSource dataSource = DriverModesTest.set(database.dataSource(), "preferQueryMode=" + mode);
            List<String> failures = new ArrayList<>();
            for (LockRelease release : LockRelease.values()) {
                RowLocks locks = locks(LockStrategy.ROW, release);
                Throwable failure = catchThrowable(() -> way.add(locks, dataSource, 1, insert));
                failures.add(failure.getClass().getSimpleName()
                        + ' '
                        + (failure instanceof SQLException e
                                ? e.getSQLState()
                                : ((RowlockException) failure).sqlState()));
            }
            assertThat(failures.get(1)).isEqualTo(failures.get(0)).contains(state);
        }
        assertThat(balance()).isEqualTo("0");
    }

    /** HikariCP takes its connection away for this SQLSTATE; the driver still knows that the transaction was aborted. */
    @Test
    void whatTheServerRefusesIsRefusedWhateverThePoolMakesOfIt() throws Exception {
        try (HikariDataSource pool = Pools.of(database.dataSource(), 2)) {
            assertThat(catchThrowable(() -> CommitWay.WRITES.add(
                            early(LockStrategy.ROW), pool, 1, "select distinct id from account for update")))
                    .satisfies(sqlState("0A000"));
        }
        assertThat(balance()).isEqualTo("0");
    }

    /** The connection is closed by then, and cannot take the warning. */
    @Test
    void warningBeforeTheSessionIsTerminatedDoesNotHideTheError() throws Exception {
        database.execute(
                "create function fail() returns trigger language plpgsql as $$ begin raise warning 'late';"
                        + " perform pg_terminate_backend(pg_backend_pid()); return null; end $$",
                "create constraint trigger fail after insert on child deferrable initially deferred"
                        + " for each row execute function fail()");
        assertThatThrownBy(() -> CommitWay.BARE.add(
                        early(LockStrategy.ROW), database.dataSource(), 1, "insert into child values (1)"))
                .isInstanceOfSatisfying(
                        CommitOutcomeUnknownException.class,
                        e -> assertThat(e.sqlState()).contains("57P01"))
                .hasMessageContaining("the result of the check is final");
        assertThat(balance()).isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource(names = {"BARE", "WRITES"})
    void aCommitThatCannotBeSerializedIsWhatAPlainCommitGives(CommitWay way, Session first, Session second)
            throws Exception {
        RowLocks locks = early(LockStrategy.ROW);
        for (Session each : List.of(first, second)) {
            each.connection().setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            each.execute("select sum(balance) from account where id between 2 and 3");
        }
        second.execute("update account set balance = 1 where id = 3");
        first.execute("update account set balance = 1 where id = 2");
        first.run(c -> commit(locks, c));
        Throwable failure = second.startAction(c -> {
                    CommitWrites writes = new CommitWrites();
                    if (way == CommitWay.WRITES) {
                        writes.add("insert into child values (1)");
                    }
                    locks.in(c).commit(writes);
                })
                .failure();
        assertThat(failure).satisfies(sqlState("40001"));
        assertThat(database.query("select string_agg(balance::text, ' ' order by id) from account where id in (2, 3)"))
                .isEqualTo("1 0");
        assertThat(database.query("select count(*) from child")).isEqualTo("0");
    }

    @Test
    void aTransactionThatAnErrorHasAbortedIsNotCommitted(Session session) throws Exception {
        Throwable failure = session.start(c -> {
                    execute(c, "update account set balance = 7 where id = 1");
                    assertThat(catchThrowable(() -> execute(c, "select 1 / 0"))).isNotNull();
                    return commit(early(LockStrategy.ROW), c);
                })
                .failure();
        assertThat(failure).isInstanceOf(LockTransactionException.class).satisfies(state("25P02"));
        assertThat(balance()).isEqualTo("0");
    }

    private long usedXids(Session.Body<?> body) throws Exception {
        Session session = database.session("session");
        session.run(body);
        long before = nextXid();
        session.run(body);
        return nextXid() - before;
    }

    private long nextXid() throws SQLException {
        return Long.parseLong(database.query("select pg_snapshot_xmax(pg_current_snapshot())"));
    }

    @Test
    void aSecondTransactionIdIsOnlyForAStandby() throws Exception {
        RowLocks early = early(LockStrategy.ROW);
        // Before PostgreSQL 17 only a transaction can flush, and none is needed if the WAL writer has been faster.
        long flush = database.isAtLeast(17) ? 0 : 1;
        assertThat(usedXids(c -> {
                    CommitWay.WRITES.add(early, c, 1);
                    return null;
                }))
                .isBetween(1L, 1 + flush);
        // Nobody else wants it, as far as row locks that are new can know.
        assertThat(usedXids(c -> on(early(LockStrategy.ROW), OneConnection.of(c))
                        .lock(forUpdate(KEY))
                        .inTransaction(tx -> {
                            execute(tx.connection(), "update account set balance = 1 where id = 1");
                            return null;
                        })))
                .isEqualTo(1);
        assertThat(usedXids(c -> on(early(LockStrategy.ADVISORY), OneConnection.of(c))
                        .lock(forUpdate(KEY))
                        .inTransaction(tx -> null)))
                .isBetween(0L, flush);
    }

    @Test
    void aSessionThatDoesNotWaitForTheStandbyDoesNotWaitHereEither(Session session) throws Exception {
        RowLocks early = early(LockStrategy.ADVISORY);
        session.run(c -> commit(early, c));
        try (AbsentStandby absent = AbsentStandby.require(database)) {
            for (String level : List.of("off", "local")) {
                session.execute("set local synchronous_commit = " + level);
                session.startAction(c -> CommitWay.WRITES.add(early, c, 1)).get();
            }
            absent.requireNoMore();
        }
        assertThat(balance()).isEqualTo("2");
    }
}
