package org.rowlock.jmh.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.DataDirectory;
import org.rowlock.tool.UserError;

/**
 * A synchronous standby of an embedded server. The standby is a copy of the primary. The standby receives WAL directly,
 * or through a proxy that simulates a network. Every commit of the primary waits for the standby. Closing the standby
 * removes its temporary directory. Close the standby before the primary; from then on, the primary cannot commit.
 */
public record EmbeddedStandby(EmbeddedServer server, Network network) implements AutoCloseable {
    private static final String NAME = "rowlock_standby";
    private static final String WAL = "pg_wal";
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(20);

    /**
     * Copies the primary, starts the standby, and waits until the standby is synchronous.
     *
     * @param settings the primary's settings, which a standby must have too
     * @param rttMillis the round-trip time to the primary, in milliseconds; 0 for no proxy
     */
    public static EmbeddedStandby start(EmbeddedServer primary, Map<String, String> settings, double rttMillis)
            throws SQLException, IOException {
        Network network = Network.open(primary.address(), rttMillis);
        Path directory = RunDirectory.create("standby");
        boolean started = false;
        try (Connection superuser = primary.address().connect("rowlock-jmh standby")) {
            PGSimpleDataSource throughNetwork = primary.address().dataSource(NAME);
            network.lead(throughNetwork);
            copy(superuser, throughNetwork, directory.resolve("data"));
            EmbeddedServer server = EmbeddedServer.start(settings, directory);
            Jdbc.execute(
                    superuser,
                    "alter system set synchronous_standby_names = '" + NAME + "'",
                    "select pg_reload_conf()");
            awaitSynchronous(superuser);
            started = true;
            return new EmbeddedStandby(server, network);
        } finally {
            if (!started) {
                network.close();
                RunDirectory.remove(directory);
            }
        }
    }

    /**
     * Copies the files of the primary, because the embedded programs lack pg_basebackup. The copy includes the WAL, so
     * the standby can start without the primary.
     */
    private static void copy(Connection superuser, PGSimpleDataSource primary, Path copy)
            throws SQLException, IOException {
        Jdbc.text(superuser, "select pg_backup_start('" + NAME + "', true)");
        Path data = Path.of(Jdbc.text(superuser, "show data_directory"));
        DataDirectory.copy(data, copy);
        Files.delete(copy.resolve("postmaster.pid"));
        Files.writeString(
                copy.resolve("backup_label"), Jdbc.text(superuser, "select labelfile from pg_backup_stop(false)"));
        // Recovery also needs the WAL written during the copy.
        DataDirectory.delete(copy.resolve(WAL));
        DataDirectory.copy(data.resolve(WAL), copy.resolve(WAL));
        Files.createFile(copy.resolve("standby.signal"));
        Files.writeString(
                copy.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=" + primary.getServerNames()[0] + " port=" + primary.getPortNumbers()[0]
                        + " user=postgres application_name=" + NAME + "'\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private static void awaitSynchronous(Connection primary) throws SQLException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        String seen = "";
        while (!seen.equals("streaming, sync")) {
            if (System.nanoTime() > deadline) {
                throw new UserError("The embedded standby did not become synchronous within " + TIMEOUT.toSeconds()
                        + " s, it is: " + seen + ". Leave out --standby, or try again when the machine is less busy.");
            }
            LockSupport.parkNanos(PAUSE.toNanos());
            seen = Jdbc.text(
                    primary,
                    "select coalesce(string_agg(state || ', ' || sync_state, '; '), 'no connection')"
                            + " from pg_stat_replication");
        }
    }

    public String description() {
        return String.format(
                Locale.ROOT,
                "synchronous, on the same machine, a round trip of %.2f ms away",
                network.roundTripMillis());
    }

    @Override
    public void close() throws IOException {
        try {
            server.close();
        } finally {
            network.close();
        }
    }
}
