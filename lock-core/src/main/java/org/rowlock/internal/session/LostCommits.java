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
 * Flushes with a COMMIT whose connection is lost. A server that waits for a lock does not notice it, and would commit
 * later, after the caller has looked and run the work again. Two things end it: the server itself, which
 * {@link WaitSql#WATCH} has look after its client, and a cancel request, which needs none. Neither is certain: the
 * request may reach the server between two statements, or before the flush arrives, so it is sent several times; and a
 * firewall may have dropped the connection without a word to the server.
 */
public final class LostCommits {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private static final int CANCELS = 3;
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    /** How long what a server has said of its standby is taken for true before it is asked anew. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long it is taken for true when a flush is lost, which may have waited meanwhile. */
    private static final long MOST_OLD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final ConcurrentMap<Object, Known> KNOWN = new ConcurrentHashMap<>();

    /**
     * What a server has said.
     *
     * @param watches whether it can look after its clients
     * @param cancels whether a commit waits for no standby. A cancel request would end such a wait, and make visible
     *     what a failover can still lose
     */
    private record Known(boolean watches, boolean cancels, long nanos) {
        boolean isOlderThan(long mostNanos) {
            return System.nanoTime() - nanos > mostNanos;
        }
    }

    private LostCommits() {}

    /**
     * What goes in front of a flush that commits; nothing if the server cannot look after its client. Asks a server
     * that is not known yet, outside the transaction if it has not begun.
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

    /** Without an answer, as where a pooler has given that of another, what is known stays what it was. */
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
     * Ends the session and what the server may still do for it. Returns when the server has had the time to notice, at
     * most after a second and a half.
     *
     * @param lost the failure, to which is added what fails here: nothing may hide that the outcome is unknown
     */
    public static void end(PgSession session, Throwable lost) {
        try {
            // A thread of its own, as a virtual thread that is interrupted can use no socket, and the driver's bound
            // may be long.
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
            // A request to a network that answers nothing takes long.
            for (int i = 0; i < CANCELS && System.nanoTime() - start < MOST_NANOS; i++) {
                if (cancels) {
                    session.cancel();
                }
                if (i == 0) {
                    // Not earlier: a pooler knows the request only while it knows the client.
                    session.kill(lost);
                }
                Thread.sleep(WaitSql.WATCH_MILLIS);
            }
        } catch (Throwable e) {
            lost.addSuppressed(e);
            // Which may have been reported by now.
            LOG.log(Level.WARNING, "A lost commit could not be ended at the server", e);
        }
    }
}
