package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.tool.UserError;

/**
 * When a server that went away came back, as its clients see it. A server is known by when it was started, so this
 * holds for a restart as well as for a failover. Thread-safe.
 */
final class Outage {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final String startedBefore;
    private final CompletableFuture<Long> connected = new CompletableFuture<>();
    private final CompletableFuture<Long> granted = new CompletableFuture<>();

    /** The server at the other end is the one that is going to be killed. */
    Outage(Connection connection) throws SQLException {
        this.startedBefore = started(connection);
    }

    /**
     * Takes notice of a new connection, and tells whether it is one to the new server.
     *
     * @param nanoTime when it was made, as {@link System#nanoTime()}
     */
    boolean connected(Connection connection, long nanoTime) throws SQLException {
        boolean isNew = !started(connection).equals(startedBefore);
        if (isNew) {
            connected.complete(nanoTime);
        }
        return isNew;
    }

    /**
     * The new server has given a lock that was held on the old one.
     *
     * @param connected when the client that got it had connected
     */
    void granted(long connected) {
        granted.complete(System.nanoTime() - connected);
    }

    /** A client or the restart has failed, so that nothing more is to be expected. */
    void failed(Throwable failure) {
        connected.completeExceptionally(failure);
        granted.completeExceptionally(failure);
    }

    /** Fails if anything has. */
    void check() {
        if (granted.isCompletedExceptionally()) {
            await(granted);
        }
    }

    /** When the first connection to the new server was made, as {@link System#nanoTime()}. */
    long firstConnection() {
        return await(connected);
    }

    /** How long the first client that was given a lock had been connected. Returns when there is one. */
    long firstGrantNanos() {
        return await(granted);
    }

    private static long await(CompletableFuture<Long> time) {
        try {
            return time.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new UserError(
                    "The server was to be killed and started again, and " + LIMIT.toMinutes()
                            + " minutes later no client" + " has got a lock of a new one. Does the command do both?",
                    e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof UserError user
                    ? user
                    : new IllegalStateException("A client failed, and not for want of a server", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the server was away", e);
        }
    }

    /** Whether a failure means only that there is no server at the moment. */
    static boolean isLost(Exception failure) {
        if (failure instanceof LockConnectionLostException) {
            return true;
        }
        if (!(failure instanceof SQLException sql) || sql.getSQLState() == null) {
            return false;
        }
        String state = sql.getSQLState();
        return state.startsWith("08")
                || switch (state) {
                    // admin_shutdown, crash_shutdown, cannot_connect_now
                    case "57P01", "57P02", "57P03" -> true;
                    default -> false;
                };
    }

    /** Closes a connection whose server may be gone. */
    static void closeBroken(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is of no use any more, whatever else is wrong with it.
        }
    }

    private static String started(Connection connection) throws SQLException {
        return Jdbc.text(connection, "select pg_postmaster_start_time()::text");
    }
}
