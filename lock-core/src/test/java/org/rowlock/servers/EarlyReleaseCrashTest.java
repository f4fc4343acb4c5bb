package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/**
 * No payment that was acknowledged is lost in a crash. All that writes WAL but a commit that waits for it is stopped
 * before, so that what has not been waited for is lost for certain.
 */
class EarlyReleaseCrashTest {
    private static final int PAYMENTS = 50;

    @AutoClose("stop")
    private static final TestPostgres SERVER = TestPostgres.embedded(
            Map.of("synchronous_commit", "on", "autovacuum", "off", "checkpoint_timeout", "1h", "wal_buffers", "64MB"));

    @RegisterExtension
    final TestDatabase database = new TestDatabase(SERVER, EarlyWorkers.TABLES);

    /** The processes that would write what nobody waits for. */
    private List<ProcessHandle> suspendWriters() throws Exception {
        List<ProcessHandle> writers = new ArrayList<>();
        try (Connection connection = database.dataSource().getConnection()) {
            TestDatabase.execute(connection, "checkpoint");
            for (String pid : TestDatabase.list(
                    connection,
                    "select pid from pg_stat_activity where backend_type in ('walwriter', 'background writer')")) {
                writers.add(ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
            }
        }
        assertThat(writers).hasSize(2);
        for (ProcessHandle writer : writers) {
            suspend(writer);
        }
        return writers;
    }

    private static void suspend(ProcessHandle process) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-STOP", String.valueOf(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    /**
     * At the death of one the postmaster ends all others, forgets what is in memory, and recovers from what is on disk.
     */
    private void crash(List<ProcessHandle> writers) throws Exception {
        String before = database.query("select pg_postmaster_start_time()");
        for (ProcessHandle writer : writers) {
            writer.destroyForcibly();
        }
        TestDatabase.await("the server is back").until(() -> {
            try {
                return !SERVER.query("select count(*) from pg_stat_activity where backend_type = 'walwriter'"
                                + " and pid not in (" + writers.get(0).pid() + ", "
                                + writers.get(1).pid() + ")")
                        .equals("0");
            } catch (SQLException e) {
                return false;
            }
        });
        assertThat(database.query("select pg_postmaster_start_time()")).isEqualTo(before);
    }

    private void crashWhilePaying(Supplier<EarlyWorkers> start) throws Exception {
        List<ProcessHandle> writers = suspendWriters();
        EarlyWorkers workers = start.get().awaitAcknowledged(PAYMENTS);
        crash(writers);
        Set<Integer> acknowledged = workers.awaitEnd();
        try (Connection connection = database.dataSource().getConnection()) {
            assertThat(EarlyWorkers.stored(connection)).containsAll(acknowledged);
            EarlyWorkers.assertWhole(connection);
        }
    }

    @Test
    @Tag("long")
    void nothingThatAMemberOfAGroupWasAcknowledgedIsLost() throws Exception {
        crashWhilePaying(() -> EarlyWorkers.startInGroups(database.dataSource(), 1));
        Connection connection = database.closing(database.dataSource().getConnection());
        EarlyWorkers.assertShared(connection);
    }

    @Test
    void nothingThatWasAcknowledgedIsLost() throws Exception {
        crashWhilePaying(() -> EarlyWorkers.start(database.dataSource(), 1));
    }

    /** Else the test would prove nothing. */
    @Test
    void asynchronousCommitLosesWhatItHasAcknowledged() throws Exception {
        List<ProcessHandle> writers = suspendWriters();
        Set<Integer> paid;
        try (Connection connection = database.dataSource().getConnection()) {
            paid = EarlyWorkers.payWithoutWaiting(connection, "off", 1, PAYMENTS);
        }
        crash(writers);
        Connection connection = database.closing(database.dataSource().getConnection());
        assertThat(paid).hasSize(PAYMENTS);
        assertThat(EarlyWorkers.stored(connection)).isEmpty();
        EarlyWorkers.assertWhole(connection);
    }

    /** As often as the property rowlock.test.crashes says. */
    @Test
    @Tag("long")
    void nothingThatWasAcknowledgedIsLostInManyCrashes() throws Exception {
        int crashes = Integer.getInteger("rowlock.test.crashes", 30);
        for (int i = 0; i < crashes; i++) {
            int first = 1 + i * 1_000_000;
            crashWhilePaying(() -> EarlyWorkers.start(database.dataSource(), first));
        }
    }
}
