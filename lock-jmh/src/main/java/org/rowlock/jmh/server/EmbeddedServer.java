package org.rowlock.jmh.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.doctor.UserError;

/** A real PostgreSQL of our own, in a temporary directory that goes with it. */
public record EmbeddedServer(EmbeddedPostgres postgres, Path directory) implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(1);

    /** Its programs, a new data directory, and some WAL. */
    private static final long LEAST_MEGABYTES = 300;

    /**
     * Starts one.
     *
     * @param settings of postgresql.conf, over those of a production-like server
     */
    public static EmbeddedServer start(Map<String, String> settings) {
        return start(settings, RunDirectory.create("server"));
    }

    /** The same in a directory that goes with it, which may have a copy of data of this version in {@code data}. */
    static EmbeddedServer start(Map<String, String> settings, Path directory) {
        refuseWithoutRoom(directory.toFile(), LEAST_MEGABYTES);
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setPGStartupWait(START_TIMEOUT)
                // Stopped by its starter, after its clients.
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

    /** Its own messages of a full disk are thousands of lines. */
    static void refuseWithoutRoom(File directory, long megabytes) {
        long free = directory.getUsableSpace() >> 20;
        if (free < megabytes) {
            throw new UserError("The embedded PostgreSQL needs " + megabytes + " MB for its temporary files, and at "
                    + directory + " there are " + free + ". Make room there, or give another directory:"
                    + " java -Djava.io.tmpdir=..");
        }
    }

    /**
     * Embedded for tests, the server forgets commits in a crash. A row is locked until its commit is safe on disk, so
     * without these a benchmark would show waits that no production server has.
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
            // What does not stop is ended with its directory.
        }
        RunDirectory.remove(directory);
    }
}
