package org.rowlock.internal.session;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.Log;

/**
 * Tries to stop a flush that contains a COMMIT, after the connection was lost. A server process that waits for a lock
 * does not notice the loss. Without this class, the process could commit later, after the caller has found nothing
 * stored and has run the work again.
 *
 * <p>There are two remedies, and neither is certain. {@link WaitSql#WATCH} makes the server check whether its client is
 * connected, but a firewall may have dropped the connection without a notice to the server. A cancel request ends the
 * statement, but may arrive between two statements or before the flush. Rowlock therefore sends several cancel
 * requests, unless commits may wait for a standby.
 */
public final class LostCommits {
    private static final int CANCELS = 3;
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    /** The age at which the answer of a server ({@link Known}) is renewed. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * The greatest age of an answer that is used after the connection was lost, when the server cannot be queried
     * again.
     */
    private static final long MOST_OLD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final ConcurrentMap<Object, Known> KNOWN = new ConcurrentHashMap<>();

    /** The driver's connections whose sessions have the setting of {@link WaitSql#WATCH_FROM_NOW_ON}. */
    private static final Map<Connection, Boolean> WATCHED = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * The answer of a server to the query about its version and settings.
     *
     * @param cancels whether cancel requests may be sent; false if commits wait for a standby, because a cancel request
     *     would end this wait and make changes visible that a failover can still lose
     * @param isDirect whether the session belongs to this client alone; false behind a pooler, which gives the session
     *     to other clients too
     */
    private record Known(boolean watches, boolean cancels, boolean isDirect, long nanos) {
        boolean isOlderThan(long mostNanos) {
            return System.nanoTime() - nanos > mostNanos;
        }
    }

    private LostCommits() {}

    /**
     * Returns the parts to send before the locks in a flush that commits; empty if the server cannot check its client,
     * or already checks it. If no answer of this server is cached yet, queries the server without beginning the
     * transaction.
     *
     * @param stays whether the server may keep checking its client after the COMMIT; the caller must then call {@link
     *     #forget} after each statement that may change this setting
     */
    public static List<Part> watch(PgSession session, boolean stays) throws SQLException {
        Known known = KNOWN.get(session.place());
        if (known == null) {
            known = session.outsideTransaction(() -> {
                FlushRunner.run(session, List.of(ask(session)));
                return Objects.requireNonNull(KNOWN.get(session.place()));
            });
        }
        if (!known.watches()) {
            return List.of();
        }
        List<Part> parts = new ArrayList<>(2);
        if (!stays || !known.isDirect()) {
            parts.add(WaitSql.WATCH);
        } else if (!WATCHED.containsKey(session.driver())) {
            parts.add(WaitSql.WATCH_FROM_NOW_ON);
        }
        if (known.isOlderThan(FRESH_NANOS)) {
            parts.add(ask(session));
        }
        return parts;
    }

    /** Records that a flush with the given parts has committed. */
    public static void committed(PgSession session, List<Part> watch) {
        for (Part part : watch) {
            // In a new JVM, the first equals() of a record costs much more than the comparison of two texts.
            if (part.sql().equals(WaitSql.WATCH_FROM_NOW_ON.sql())) {
                WATCHED.put(session.driver(), true);
            }
        }
    }

    /** Records that the session may no longer have the setting of {@link WaitSql#WATCH_FROM_NOW_ON}. */
    public static void forget(Connection driver) {
        WATCHED.remove(driver);
    }

    /** Returns a part that reads the answer of the server. An empty answer leaves the cached answer unchanged. */
    private static Part ask(PgSession session) {
        return new Part(WaitSql.CAN_WATCH, (answers, statement) -> {
            try (ResultSet row = statement.getResultSet()) {
                if (row != null && row.next()) {
                    KNOWN.put(
                            session.place(),
                            new Known(
                                    row.getBoolean(1),
                                    row.getBoolean(2),
                                    row.getInt(3) == session.serverProcess(),
                                    System.nanoTime()));
                }
            }
        });
    }

    /**
     * Closes the connection, and tries to end the transaction at the server. Returns after at most 1.5 seconds.
     *
     * @param lost the failure. Errors of this method are added as suppressed exceptions, so that no error hides the
     *     unknown outcome
     */
    public static void end(PgSession session, Throwable lost) {
        try {
            // A separate thread sends the cancel requests, because an interrupted virtual thread cannot use a socket,
            // and because the driver's timeout may be long.
            CompletableFuture.runAsync(() -> cancel(session, lost), LostCommits::start)
                    .completeOnTimeout(null, MOST_NANOS, TimeUnit.NANOSECONDS)
                    .join();
        } catch (OutOfMemoryError e) {
            lost.addSuppressed(e);
        }
        session.kill(lost);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "rowlock-lost-commit");
        thread.setDaemon(true);
        thread.start();
    }

    private static void cancel(PgSession session, Throwable lost) {
        try {
            Known known = KNOWN.get(session.place());
            boolean cancels = known != null && known.cancels() && !known.isOlderThan(MOST_OLD_NANOS);
            long start = System.nanoTime();
            // A cancel request may take long if the network does not answer, so the loop also has a time limit.
            for (int i = 0; i < CANCELS && System.nanoTime() - start < MOST_NANOS; i++) {
                if (cancels) {
                    session.cancel();
                }
                if (i == 0) {
                    // A pooler accepts cancel requests only from connected clients, so the connection is closed after
                    // the first cancel request.
                    session.kill(lost);
                }
                Thread.sleep(WaitSql.WATCH_MILLIS);
            }
        } catch (Throwable e) {
            lost.addSuppressed(e);
            // The error is also logged, because the caller may already have received the failure.
            Log.warn("A lost commit could not be ended at the server", e);
        }
    }
}
