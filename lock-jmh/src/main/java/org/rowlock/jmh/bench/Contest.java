package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.postgresql.PGConnection;
import org.rowlock.LockNotAvailableException;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Sql;

/**
 * Two sessions that lock. A benchmark of one session cannot notice that its lock does nothing, so at its end it shows
 * that a second session waits, and what that one finds when it gets in.
 */
final class Contest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private Contest() {}

    /** What a session does. */
    @FunctionalInterface
    interface Part<T> {
        T apply(Connection connection) throws SQLException;
    }

    /**
     * Runs the first work in a transaction, the second in another that must wait for it, and commits the first.
     *
     * @return what the second found
     */
    static long awaitSecond(BenchmarkServer server, Part<?> first, Part<Long> second) throws SQLException {
        try (Connection holder = server.begin();
                Connection waiter = server.begin()) {
            first.apply(holder);
            FutureTask<Long> found = new FutureTask<>(() -> second.apply(waiter));
            Thread thread = new Thread(found, "rowlock-jmh-contest");
            thread.start();
            try {
                awaitBlocked(holder, waiter, found);
                holder.commit();
                return result(found);
            } finally {
                // Lets the second in, whatever has happened.
                holder.rollback();
                thread.join(DEADLINE.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while two sessions were locking", e);
        }
    }

    /** Runs the first work in a transaction, and the second in another that must not have to wait for it. */
    static void runBeside(BenchmarkServer server, Part<?> first, Part<?> second) throws SQLException {
        try (Connection holder = server.begin();
                Connection other = server.begin()) {
            first.apply(holder);
            Sql.execute(other, "set local lock_timeout = '10s'");
            second.apply(other);
            other.rollback();
            holder.rollback();
        } catch (LockNotAvailableException | SQLException e) {
            if (e instanceof SQLException sql && !LOCK_NOT_AVAILABLE.equals(sql.getSQLState())) {
                throw e;
            }
            throw new InvariantViolation("a transaction waited for the lock of another key");
        }
    }

    private static void awaitBlocked(Connection holder, Connection waiter, FutureTask<Long> found)
            throws SQLException, InterruptedException {
        int pid = waiter.unwrap(PGConnection.class).getBackendPID();
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        String isBlocked = "select count(*) where pg_backend_pid() = any(pg_blocking_pids(" + pid + "))";
        while (Sql.number(holder, isBlocked) == 0) {
            if (found.isDone()) {
                throw new InvariantViolation(
                        "a second transaction got in while the first held the lock, and found " + result(found));
            }
            if (System.nanoTime() > deadline) {
                throw new InvariantViolation("a second transaction neither got the lock nor waited for it within "
                        + DEADLINE.toSeconds() + " s");
            }
            Thread.sleep(PAUSE.toMillis());
        }
    }

    private static long result(FutureTask<Long> found) throws SQLException, InterruptedException {
        try {
            return found.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            throw new IllegalStateException("The second transaction failed", e.getCause());
        } catch (TimeoutException e) {
            throw new InvariantViolation("a second transaction did not get the lock within " + DEADLINE.toSeconds()
                    + " s after the first had ended");
        }
    }
}
