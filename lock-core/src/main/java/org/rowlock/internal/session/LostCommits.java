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
 * Ends flushes with a COMMIT whose connection is lost. A server that waits for a lock does not notice the loss. It
 * would commit later, after the caller has checked and run the work again. Two things end it: the server itself, which
 * {@link WaitSql#WATCH} makes check its client, and a cancel request, which works without that. Neither is certain. The
 * request may reach the server between two statements or before the flush arrives, so it is sent several times. A
 * firewall may have dropped the connection without notice to the server.
 */
public final class LostCommits {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private static final int CANCELS = 3;
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    /** How long a server's answer about its standby is valid before it is requested again. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long the answer is valid when a flush is lost, which may have waited meanwhile. */
    private static final long MOST_OLD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final ConcurrentMap<Object, Known> KNOWN = new ConcurrentHashMap<>();

    /**
     * The answer of a server.
     *
     * @param watches whether it can check its clients
     * @param cancels whether commits do not wait for a standby. A cancel request would end such a wait, and make
     *     changes visible that a failover can still lose
     */
    private record Known(boolean watches, boolean cancels, long nanos) {
        boolean isOlderThan(long mostNanos) {
            return System.nanoTime() - nanos > mostNanos;
        }
    }

    private LostCommits() {}

    /**
     * Returns the parts in front of a flush that commits; none if the server cannot check its client. An unknown server
     * is queried first, outside the transaction if that has not begun.
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
     * Reads the server's answer. Without one, for example if a pooler returned another client's, the known answer is
     * kept.
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
     * Ends the session, and the work that the server may still do for it. Returns when the server has had time to
     * notice, after at most a second and a half.
     *
     * @param lost the failure, which receives errors of this method as suppressed, so that none hides the unknown
     *     outcome
     */
    public static void end(PgSession session, Throwable lost) {
        try {
            // A separate thread is needed, because an interrupted virtual thread cannot use a socket, and because the
            // driver's bound may be long.
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
            // A request may take long in a network that does not answer.
            for (int i = 0; i < CANCELS && System.nanoTime() - start < MOST_NANOS; i++) {
                if (cancels) {
                    session.cancel();
                }
                if (i == 0) {
                    // The session is not ended earlier, because a pooler accepts the request only while it knows the
                    // client.
                    session.kill(lost);
                }
                Thread.sleep(WaitSql.WATCH_MILLIS);
            }
        } catch (Throwable e) {
            lost.addSuppressed(e);
            // The failure may already have been reported to the caller, so the error is logged as well.
            LOG.log(Level.WARNING, "A lost commit could not be ended at the server", e);
        }
    }
}
