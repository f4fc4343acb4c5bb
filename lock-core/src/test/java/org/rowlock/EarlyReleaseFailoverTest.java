package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.StreamingPair;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** With a synchronous standby no payment that was acknowledged is lost at a failover, and none is acknowledged that would be. */
@Tag("long")
class EarlyReleaseFailoverTest {
    private static final int PAYMENTS = 50;

    private static StreamingPair start(String standbys) throws Exception {
        StreamingPair pair = StreamingPair.start();
        try (Connection connection = dataSource(pair.primary(), "on").getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : EarlyWorkers.TABLES) {
                statement.execute(sql);
            }
        }
        pair.awaitReplay();
        pair.requireStandbys(standbys);
        return pair;
    }

    private static PGSimpleDataSource dataSource(TestPostgres server, String level) {
        PGSimpleDataSource dataSource = server.dataSource();
        dataSource.setOptions("-c synchronous_commit=" + level);
        return dataSource;
    }

    @Test
    void nothingThatWasAcknowledgedIsLostAtAFailover() throws Exception {
        failOver("on", StreamingPair.STANDBY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"remote_write; standby", "remote_apply; standby", "on; ANY 1 (standby, other)"})
    void norAtAnotherLevel(String level, String standbys) throws Exception {
        failOver(level, standbys);
    }

    private static void failOver(String level, String standbys) throws Exception {
        try (StreamingPair pair = start(standbys)) {
            EarlyWorkers workers =
                    EarlyWorkers.start(dataSource(pair.primary(), level), 1).awaitAcknowledged(PAYMENTS);
            pair.network().freeze();
            // The control, which has to lose; else the test would prove nothing.
            Set<Integer> local;
            try (Connection connection = dataSource(pair.primary(), "local").getConnection()) {
                local = EarlyWorkers.payWithoutWaiting(connection, "local", 1_000_000, PAYMENTS);
            }
            pair.killPrimary();
            pair.promote();
            Set<Integer> acknowledged = workers.awaitEnd();
            try (Connection connection = pair.standby().dataSource().getConnection()) {
                assertThat(EarlyWorkers.stored(connection))
                        .containsAll(acknowledged)
                        .doesNotContainAnyElementsOf(local);
                EarlyWorkers.assertWhole(connection);
            }
        }
    }

    private static CompletableFuture<Void> pay(RowLocks locks, PGSimpleDataSource dataSource, int id) {
        // Each on a thread of its own: the common pool may have one for all.
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        CommitWay.WRITES.add(locks, dataSource, 1, "insert into payment values (" + id + ")");
                    } catch (SQLException e) {
                        throw new CompletionException(e);
                    }
                },
                task -> {
                    Thread thread = new Thread(task, "payment-" + id);
                    thread.setDaemon(true);
                    thread.start();
                });
    }

    private static void awaitWaiting(TestPostgres server, int commits) {
        Awaitility.await(commits + " commits wait for the standby")
                .atMost(TestDatabase.DEADLINE)
                .until(() -> {
                    try (Connection connection = dataSource(server, "local").getConnection();
                            Statement statement = connection.createStatement()) {
                        return statement
                                .executeQuery("select 1 from pg_stat_activity where wait_event = 'SyncRep'"
                                        + " having count(*) = " + commits)
                                .next();
                    }
                });
    }

    /** The stale side goes on with what it cannot acknowledge; where the commit is plain the first of them holds the row. */
    @Test
    void inASplitBrainTheStaleSideAcknowledgesNothing() throws Exception {
        try (StreamingPair pair = start(StreamingPair.STANDBY)) {
            RowLocks early = RowLocks.builder().release(LockRelease.EARLY).build();
            PGSimpleDataSource stale = dataSource(pair.primary(), "on");
            PGSimpleDataSource local = dataSource(pair.primary(), "local");
            CommitWay.WRITES.add(early, stale, 1, "insert into payment values (1)");
            pair.network().freeze();
            pair.promote();
            CompletableFuture<Void> first = pay(early, stale, 2);
            awaitWaiting(pair.primary(), 1);
            CompletableFuture<Void> second = pay(early, stale, 3);
            awaitWaiting(pair.primary(), 2);
            CompletableFuture<Void> plain = pay(RowLocks.create(), stale, 4);
            awaitWaiting(pair.primary(), 3);
            try (Connection connection = local.getConnection()) {
                assertThat(EarlyWorkers.stored(connection)).as("visible there").containsExactlyInAnyOrder(1, 2, 3);
                connection.setAutoCommit(false);
                assertThat(RowLocks.create().in(connection).tryLock(CommitWay.KEY))
                        .as("held by the plain commit")
                        .isFalse();
                connection.rollback();
            }
            assertThat(first).isNotDone();
            assertThat(second).isNotDone();
            assertThat(plain).isNotDone();
            CommitWay.WRITES.add(early, dataSource(pair.standby(), "on"), 1, "insert into payment values (5)");
            pair.killPrimary();
            for (CompletableFuture<Void> each : List.of(first, second, plain)) {
                assertThat(catchThrowable(each::join)).hasCauseExactlyInstanceOf(CommitOutcomeUnknownException.class);
            }
            try (Connection connection = pair.standby().dataSource().getConnection()) {
                assertThat(EarlyWorkers.stored(connection)).containsExactlyInAnyOrder(1, 5);
                EarlyWorkers.assertWhole(connection);
            }
        }
    }
}
