package org.rowlock.jmh.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockConnectionLostException;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.jmh.server.ServerCrash;

/**
 * Kills the server while transactions hold locks and others wait, and restarts the server. The result is the time from
 * the kill until the restarted server grants the first lock. The benchmark needs an embedded server.
 */
@ByHand(Strategy.FOR_UPDATE)
public class LockLoss extends LockWorkload {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** The limit after which a silent server counts as lost. The limit is longer than any wait for a lock. */
    private static final int SOCKET_TIMEOUT_SECONDS = 60;

    /** The pause between attempts to connect, because each attempt slows down the start of the server. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The number of locks held when the server is killed, limited to half the capacity of the lock table. */
    @Param("10000")
    public int locks;

    @Param("20")
    public int clients;

    private final CompletableFuture<Long> granted = new CompletableFuture<>();
    private int held;
    private double firstMillis;
    private ServerCrash crash;
    private PGSimpleDataSource unpooled;

    @Override
    void prepare() throws SQLException {
        crash = ServerCrash.of(server);
        held = (int) Math.min(locks, server.lockTableRoom() / 2);
        unpooled = server.dataSource();
        unpooled.setSocketTimeout(SOCKET_TIMEOUT_SECONDS);
        Accounts.create(server, held);
        Locking locking = new Locking(strategy, admission, unpooled, Accounts.TABLE, Accounts.ID);
        hold();
        threads.add("client", clients, number -> client(locking));
    }

    private void hold() throws SQLException {
        // The holder represents another instance of the application, so it uses a separate queue.
        Locking other = new Locking(strategy, false, unpooled, Accounts.TABLE, Accounts.ID);
        Connection holder = server.closeWith(unpooled.getConnection());
        holder.setAutoCommit(false);
        other.lockAll(holder, IntStream.rangeClosed(1, held).boxed().toList(), RowLockMode.FOR_UPDATE);
        Accounts.raise(holder, 1);
    }

    /**
     * Creates a client that locks a row and rolls back. If the server stops, the client reconnects until the server has
     * restarted.
     */
    private Clients.Operation client(Locking locking) {
        DiscreteSampler keys = Zipf.zipf(held, 1.1);
        AtomicReference<@Nullable Connection> own = new AtomicReference<>();
        return () -> {
            int aid = keys.sample();
            try {
                Connection connection = own.get();
                if (connection == null) {
                    connection = server.closeWith(unpooled.getConnection());
                    connection.setAutoCommit(false);
                    own.set(connection);
                }
                Connection present = connection;
                locking.admitted(List.of(locking.key(aid)), RowLockMode.FOR_UPDATE, () -> {
                    locking.lock(present, aid);
                    // The restarted server must have granted this lock, because on the old server the holder never
                    // commits.
                    granted.complete(System.nanoTime());
                    present.rollback();
                });
                return 1;
            } catch (SQLException | RuntimeException e) {
                if (!isLost(e)) {
                    granted.completeExceptionally(e);
                    throw e;
                }
                own.set(null);
                LockSupport.parkNanos(PAUSE_NANOS);
                return 0;
            }
        };
    }

    /** Kills the server before the first window. No client completes an operation earlier. */
    @Override
    void begins(boolean measured) throws SQLException {
        if (firstMillis > 0) {
            return;
        }
        awaitWaiting();
        long killed = System.nanoTime();
        try {
            crash.run();
            firstMillis = (granted.get(LIMIT.toSeconds(), TimeUnit.SECONDS) - killed) / 1e6;
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "The server was killed and started again, and no client has acquired a lock since. Does the"
                            + " server run?",
                    e);
        } catch (IOException | ExecutionException | InterruptedException e) {
            throw new IllegalStateException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Waits until a client waits for a lock. A client that has passed admission is certain to wait, because all rows
     * are locked.
     */
    private void awaitWaiting() throws SQLException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try (Connection connection = server.connect()) {
            while (Jdbc.number(connection, "select count(*) from pg_locks where not granted") == 0) {
                threads.check();
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("No client waits for a lock, although all rows are locked");
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @Override
    void ends(boolean measured, Published results) {
        results.put("firstGranted", firstMillis, "ms");
        results.put("locksHeld", (double) held, "");
    }

    private static boolean isLost(Exception failure) {
        String state = failure instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "";
        return failure instanceof LockConnectionLostException || state.startsWith("08") || state.startsWith("57P0");
    }
}
