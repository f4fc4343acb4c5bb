package org.rowlock.jmh.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.UserError;

/** An embedded PostgreSQL server. Closing the server removes its temporary directory. */
public record EmbeddedServer(EmbeddedPostgres postgres, Path directory) implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(1);

    private static final long LEAST_MEGABYTES = 300;

    /**
     * Starts a server.
     *
     * @param settings the settings of postgresql.conf, which override the defaults of {@link #productionLike}
     */
    public static EmbeddedServer start(Map<String, String> settings) {
        return start(settings, RunDirectory.create("server"));
    }

    /**
     * Starts a server in this directory. The subdirectory {@code data} can already hold a data directory of the
     * server's version.
     */
    static EmbeddedServer start(Map<String, String> settings, Path directory) {
        refuseWithoutRoom(directory.toFile(), LEAST_MEGABYTES);
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setPGStartupWait(START_TIMEOUT)
                // A hook of the library could stop the server before its clients have ended.
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

    /** Rejects a disk that is almost full. On a full disk, the server would print thousands of lines. */
    static void refuseWithoutRoom(File directory, long megabytes) {
        long free = directory.getUsableSpace() >> 20;
        if (free < megabytes) {
            throw new UserError("The embedded PostgreSQL needs " + megabytes + " MB for its temporary files, and at "
                    + directory + " there are " + free + ". Make room there, or give another directory:"
                    + " java -Djava.io.tmpdir=..");
        }
    }

    /**
     * Makes the server durable. By default, the embedded server does not wait for the disk at commit. A row stays
     * locked until the commit is on disk, so without durability rows would be locked for less time than in production.
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
            // If the server does not stop, the removal of its directory kills the server.
        }
        RunDirectory.remove(directory);
    }
}
