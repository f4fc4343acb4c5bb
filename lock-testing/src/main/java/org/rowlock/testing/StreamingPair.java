package org.rowlock.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/** An embedded primary and a standby that streams from it. */
public final class StreamingPair implements AutoCloseable {
    /** The name of the standby in synchronous_standby_names. */
    public static final String STANDBY = "standby";

    private final Path directory;
    private final TestPostgres primary;
    private final TestPostgres standby;
    private final int primaryPort;
    private final int standbyPort;
    private final TcpProxy network;

    private StreamingPair(
            Path directory,
            TestPostgres primary,
            int primaryPort,
            TestPostgres standby,
            int standbyPort,
            TcpProxy network) {
        this.network = network;
        this.directory = directory;
        this.primary = primary;
        this.primaryPort = primaryPort;
        this.standby = standby;
        this.standbyPort = standbyPort;
    }

    /**
     * Starts the primary and the standby, and waits until the standby streams. Both servers begin with copies of one
     * data directory.
     */
    public static StreamingPair start() throws IOException {
        Path directory = Files.createTempDirectory("streaming");
        Path data = directory.resolve("primary");
        Path copy = directory.resolve("standby");
        int primaryPort = TestPostgres.freePort();
        int standbyPort = TestPostgres.freePort();
        DataDirectory.fill(copy);
        TcpProxy network = TcpProxy.to("127.0.0.1", primaryPort);
        Files.createFile(copy.resolve("standby.signal"));
        Files.writeString(
                copy.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=" + network.port() + " user=postgres application_name="
                        + STANDBY + "'\nhot_standby = on\n",
                StandardOpenOption.APPEND);
        TestPostgres primary = TestPostgres.embedded(Map.of(), data, primaryPort);
        TestPostgres standby = TestPostgres.embedded(Map.of(), copy, standbyPort);
        StreamingPair pair = new StreamingPair(directory, primary, primaryPort, standby, standbyPort, network);
        TestDatabase.await("the standby streams")
                .until(() -> primary.query("select count(*) from pg_stat_replication where state = 'streaming'")
                        .equals("1"));
        return pair;
    }

    public TestPostgres primary() {
        return primary;
    }

    public TestPostgres standby() {
        return standby;
    }

    public List<Integer> ports() {
        return List.of(primaryPort, standbyPort);
    }

    public TcpProxy network() {
        return network;
    }

    /**
     * Makes commits wait for synchronous standbys.
     *
     * @param names the value of synchronous_standby_names
     */
    public void requireStandbys(String names) throws SQLException {
        primary.execute("alter system set synchronous_standby_names = '" + names + "'");
        primary.execute("select pg_reload_conf()");
        TestDatabase.await("commits wait for " + names)
                .until(() -> primary.query("show synchronous_standby_names").equals(names)
                        && primary.query("select count(*) from pg_stat_replication where sync_state <> 'async'")
                                .equals("1"));
        // Commits wait only after the checkpointer has read the new setting. A checkpoint makes the checkpointer read
        // it.
        primary.execute("checkpoint");
    }

    /** Kills the primary. WAL that the primary has not sent yet is lost. */
    public void killPrimary() throws IOException {
        long pid = Long.parseLong(
                Files.readAllLines(directory.resolve("primary/postmaster.pid")).get(0));
        ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
        List<ProcessHandle> processes = postmaster.children().toList();
        postmaster.destroyForcibly();
        processes.forEach(ProcessHandle::destroyForcibly);
    }

    public void promote() throws SQLException {
        standby.execute("select pg_promote(true, " + TestDatabase.DEADLINE.toSeconds() + ")");
        TestDatabase.await("the standby is promoted")
                .until(() -> standby.query("select pg_is_in_recovery()").equals("f"));
    }

    public void awaitWaiting(int sessions) {
        awaitWaiting(() -> sessions);
    }

    /** Waits until the number of sessions that wait for the standby equals the current value of the supplier. */
    public void awaitWaiting(IntSupplier sessions) {
        TestDatabase.await("commits wait for the standby")
                .until(() -> primary.query("select count(*) from pg_stat_activity where wait_event = 'SyncRep'")
                        .equals(String.valueOf(sessions.getAsInt())));
    }

    public void awaitReplay() throws SQLException {
        String position = primary.query("select pg_current_wal_lsn()");
        TestDatabase.await("the standby has replayed " + position)
                .until(() -> standby.query("select pg_last_wal_replay_lsn() >= '" + position + "'")
                        .equals("t"));
    }

    @Override
    public void close() throws IOException {
        standby.stop();
        primary.stop();
        network.close();
        DataDirectory.delete(directory);
    }
}
