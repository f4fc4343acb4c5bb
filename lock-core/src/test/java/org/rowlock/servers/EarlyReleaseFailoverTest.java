package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.commit.CommitWay;
import org.rowlock.testing.StreamingPair;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.testing.Threads;

/**
 * With a synchronous standby no payment that was acknowledged is lost at a failover, and none is acknowledged that
 * would be.
 */
@Tag("long")
class EarlyReleaseFailoverTest {
    private static final int PAYMENTS = 50;

    private static StreamingPair start(String standbys) throws Exception {
        StreamingPair pair = StreamingPair.start();
        try (Connection connection = dataSource(pair.primary(), "on").getConnection()) {
            TestDatabase.execute(connection, EarlyWorkers.TABLES);
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

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"on; standby", "remote_write; standby", "remote_apply; standby", "on; ANY 1 (standby, other)"})
    void nothingThatWasAcknowledgedIsLostAtAFailover(String level, String standbys) throws Exception {
        failOver(level, standbys, EarlyWorkers::start);
    }

    @Test
    void nothingThatAMemberOfAGroupWasAcknowledgedIsLostAtAFailover() throws Exception {
        failOver("on", StreamingPair.STANDBY, EarlyWorkers::startInGroups);
    }

    private static void failOver(String level, String standbys, BiFunction<DataSource, Integer, EarlyWorkers> start)
            throws Exception {
        try (StreamingPair pair = start(standbys)) {
            EarlyWorkers workers =
                    start.apply(dataSource(pair.primary(), level), 1).awaitAcknowledged(PAYMENTS);
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
        return Threads.start(() -> {
            CommitWay.WRITES.add(locks, dataSource, 1, "insert into payment values (" + id + ")");
            return null;
        });
    }

    /**
     * What is released early can be read while nothing is acknowledged any more. Each of the readers commits by each
     * door that fits; one that is acknowledged has seen only what is there after the failover.
     */
    @Test
    void noReaderIsToldOfWhatIsLostAtAFailover() throws Exception {
        try (StreamingPair pair = start(StreamingPair.STANDBY)) {
            PGSimpleDataSource primary = dataSource(pair.primary(), "on");
            RowLocks early = LockAccess.builder().release(LockRelease.EARLY).build();
            CommitWay.WRITES.add(early, primary, 1, "insert into payment values (1)");
            Set<Integer> acknowledged = EarlyReader.ROW.read(primary, 1, EarlyReader.Door.COMMIT);
            assertThat(acknowledged).containsExactly(1);

            pair.network().freeze();
            CompletableFuture<Void> lost = pay(early, primary, 2);
            pair.awaitWaiting(1);
            Map<String, CompletableFuture<Set<Integer>>> readers = new LinkedHashMap<>();
            for (EarlyReader reader : EarlyReader.values()) {
                for (EarlyReader.Door door : EarlyReader.Door.values()) {
                    int id = readers.size() + 1;
                    if (reader.fits(door)) {
                        readers.put(reader + " by " + door, Threads.start(() -> reader.read(primary, id, door)));
                    }
                }
            }
            pair.awaitWaiting(() -> 1
                    + (int) readers.values().stream()
                            .filter(each -> !each.isDone())
                            .count());
            pair.killPrimary();
            pair.promote();
            assertThat(catchThrowable(lost::join)).hasCauseExactlyInstanceOf(CommitOutcomeUnknownException.class);
            try (Connection connection = pair.standby().dataSource().getConnection()) {
                Set<Integer> stored = EarlyWorkers.stored(connection);
                assertThat(stored).containsExactly(1);
                readers.forEach((name, reader) -> assertThat(catchThrowable(
                                () -> assertThat(reader.join()).as(name).isSubsetOf(stored)))
                        .as(name)
                        .hasCauseExactlyInstanceOf(CommitOutcomeUnknownException.class));
            }
        }
    }

    /**
     * The stale side goes on with what it cannot acknowledge; where the commit is plain the first of them holds the
     * row.
     */
    @Test
    void inASplitBrainTheStaleSideAcknowledgesNothing() throws Exception {
        try (StreamingPair pair = start(StreamingPair.STANDBY)) {
            RowLocks early = LockAccess.builder().release(LockRelease.EARLY).build();
            PGSimpleDataSource stale = dataSource(pair.primary(), "on");
            PGSimpleDataSource local = dataSource(pair.primary(), "local");
            CommitWay.WRITES.add(early, stale, 1, "insert into payment values (1)");
            pair.network().freeze();
            pair.promote();
            CompletableFuture<Void> first = pay(early, stale, 2);
            pair.awaitWaiting(1);
            CompletableFuture<Void> second = pay(early, stale, 3);
            pair.awaitWaiting(2);
            CompletableFuture<Void> plain = pay(LockAccess.builder().build(), stale, 4);
            pair.awaitWaiting(3);
            try (Connection connection = local.getConnection()) {
                assertThat(EarlyWorkers.stored(connection)).as("visible there").containsExactlyInAnyOrder(1, 2, 3);
                connection.setAutoCommit(false);
                assertThat(LockAccess.builder()
                                .build()
                                .in(connection)
                                .tryLock(forUpdate(CommitWay.KEY))
                                .isHeld())
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
