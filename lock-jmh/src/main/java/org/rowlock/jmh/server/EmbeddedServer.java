package org.rowlock.jmh.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.UserError;

/** An embedded PostgreSQL server, in a temporary directory that is removed with it. */
public record EmbeddedServer(EmbeddedPostgres postgres, Path directory) implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(1);

    /** The space for its programs, a new data directory, and some WAL. */
    private static final long LEAST_MEGABYTES = 300;

    /**
     * Starts a server.
     *
     * @param settings the settings of postgresql.conf, which override those of a production-like server
     */
    public static EmbeddedServer start(Map<String, String> settings) {
        return start(settings, RunDirectory.create("server"));
    }

    /**
     * Starts a server in a directory that is removed with it. The directory may have a copy of a data directory of this
     * version in {@code data}.
     */
    static EmbeddedServer start(Map<String, String> settings, Path directory) {
        refuseWithoutRoom(directory.toFile(), LEAST_MEGABYTES);
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setPGStartupWait(START_TIMEOUT)
                // The program that started the server stops it, after its clients.
                .setRegisterShutdownHook(false)
                .setDataDirectory(directory.resolve("data"))
                .setCleanDataDirectory(false);
        productionLike(builder);
        settings.forEach(builder::setServerConfig);
        try {
            return new EmbeddedServer(builder.start(), directory);
        } catch (IOException | RuntimeException e) {
            throw new UserError(
                    "The embedded PostgreSQL did not start: " + e.getMessage()
                            + ". Give a server of yours instead: --url jdbc:postgresql://host:port/database.",
                    e);
        }
    }

    /** Rejects a disk without room. The server's own messages of a full disk are thousands of lines. */
    static void refuseWithoutRoom(File directory, long megabytes) {
        long free = directory.getUsableSpace() >> 20;
        if (free < megabytes) {
            throw new UserError("The embedded PostgreSQL needs " + megabytes + " MB for its temporary files, and at "
                    + directory + " there are " + free + ". Make room there, or give another directory:"
                    + " java -Djava.io.tmpdir=..");
        }
    }

    /**
     * Makes the server durable. Embedded for tests, it loses commits in a crash. A row is locked until its commit is
     * safely on disk. Without these settings, a benchmark would therefore show waits that no production server has.
     */
    private static void productionLike(EmbeddedPostgres.Builder builder) {
        builder.setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("shared_buffers", "256MB")
                .setServerConfig("max_wal_size", "2GB")
                .setServerConfig("max_connections", "400");
    }

    public ServerAddress address() {
        return new ServerAddress(postgres.getJdbcUrl("postgres", "postgres"), null, null);
    }

    public int port() {
        return postgres.getPort();
    }

    @Override
    public void close() throws IOException {
        try {
            postgres.close();
        } catch (IOException e) {
            // A server that does not stop is ended with its directory.
        }
        RunDirectory.remove(directory);
    }
}
