package org.rowlock.internal.session;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.WaitSql;

/**
 * Ends a flush with a COMMIT after its connection was lost. A server process that waits for a lock does not notice the
 * loss. Without this class, that process could commit later, after the caller has found nothing stored and has run the
 * work again. There are two remedies. {@link WaitSql#WATCH} makes the server check whether its client is connected, and
 * a cancel request ends the statement. Neither remedy is certain. A firewall may have dropped the connection without a
 * notice to the server. A cancel request may arrive between two statements or before the flush, so Rowlock sends it
 * several times.
 */
public final class LostCommits {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private static final int CANCELS = 3;
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    /** How long a server's answer ({@link Known}) is used before the server is queried again. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The greatest age at which an answer is still used after a flush is lost. The server cannot be queried then. */
    private static final long MOST_OLD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final ConcurrentMap<Object, Known> KNOWN = new ConcurrentHashMap<>();

    /**
     * The answer of a server to the query about its version and settings.
     *
     * @param watches whether the server can check its clients
     * @param cancels whether cancel requests may be sent, because commits do not wait for a standby. A cancel request
     *     would end the wait for a standby, and make changes visible that a failover can still lose
     */
    private record Known(boolean watches, boolean cancels, long nanos) {
        boolean isOlderThan(long mostNanos) {
            return System.nanoTime() - nanos > mostNanos;
        }
    }

    private LostCommits() {}

    /**
     * Returns the parts to send before the locks in a flush that commits; none if the server cannot check its client. A
     * server whose answer is not known is queried first, without beginning the transaction.
     */
    public static List<Part> watch(PgSession session) throws SQLException {
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
        return known.isOlderThan(FRESH_NANOS) ? List.of(WaitSql.WATCH, ask(session)) : List.of(WaitSql.WATCH);
    }

    /**
     * Returns a part that reads the server's answer. If the answer is not valid, for example because a pooler mixed up
     * answers, the cached answer stays.
     */
    private static Part ask(PgSession session) {
        return new Part(WaitSql.CAN_WATCH, (answers, statement) -> {
            try (ResultSet row = statement.getResultSet()) {
                if (row != null && row.next()) {
                    KNOWN.put(session.place(), new Known(row.getBoolean(1), row.getBoolean(2), System.nanoTime()));
                }
            }
        });
    }

    /**
     * Ends the session, and tries to end its transaction at the server. Returns after at most a second and a half.
     *
     * @param lost the failure. Errors of this method are added to it as suppressed exceptions, so that no error hides
     *     the unknown outcome
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
            // The loop also has a time limit, because a cancel request may take long if the network does not answer.
            for (int i = 0; i < CANCELS && System.nanoTime() - start < MOST_NANOS; i++) {
                if (cancels) {
                    session.cancel();
                }
                if (i == 0) {
                    // The first cancel request is sent before the session is ended, because a pooler accepts cancel
                    // requests only from clients that are connected.
                    session.kill(lost);
                }
                Thread.sleep(WaitSql.WATCH_MILLIS);
            }
        } catch (Throwable e) {
            lost.addSuppressed(e);
            // The caller may already have received the failure, so the error is also logged.
            LOG.log(Level.WARNING, "A lost commit could not be ended at the server", e);
        }
    }
}
