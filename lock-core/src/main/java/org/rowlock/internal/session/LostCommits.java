package org.rowlock.internal.session;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.rowlock.internal.request.Watch;
import org.rowlock.internal.sql.WaitSql;

/**
 * Flushes with a COMMIT whose connection is lost. A server that waits for a lock does not notice it, and would commit
 * later, after the caller has looked and run the work again. Two things end it: the server itself, which
 * {@link WaitSql#watch} has look after its client, and a cancel request, which needs none. Neither is certain: the
 * request may reach the server between two statements, or before the flush arrives, so it is sent several times; and a
 * firewall may have dropped the connection without a word to the server.
 */
public final class LostCommits {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private static final int CANCELS = 3;
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    /** How long what a server has said of itself is taken for true. */
    private static final long MOST_OLD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final ConcurrentMap<Object, Known> KNOWN = new ConcurrentHashMap<>();

    /**
     * What a server has said.
     *
     * @param watch how it is to look after its clients
     * @param cancels whether a commit waits for no standby. A cancel request would end such a wait, and make visible
     *     what a failover can still lose
     */
    private record Known(Watch watch, boolean cancels, long nanos) {}

    private LostCommits() {}

    /** What is to go in front of a flush that commits. */
    public static Watch watch(PgSession session) {
        Known known = KNOWN.get(session.place());
        return known == null || System.nanoTime() - known.nanos() > MOST_OLD_NANOS ? Watch.ASK : known.watch();
    }

    /** Reads the result of {@link WaitSql#watch}. */
    public static void read(PgSession session, Statement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            if (row != null && row.next()) {
                Watch watch = row.getString(1) == null ? Watch.NONE : Watch.SET;
                KNOWN.put(session.place(), new Known(watch, row.getBoolean(2), System.nanoTime()));
            }
        }
    }

    /**
     * Ends the session and what the server may still do for it. Returns when the server has had the time to notice, at
     * most after a second and a half.
     */
    public static void end(PgSession session) throws SQLException {
        // A thread of its own, as a virtual thread that is interrupted can use no socket, and the driver's bound may be
        // long.
        Thread ending = new Thread(() -> cancel(session), "rowlock-lost-commit");
        ending.setDaemon(true);
        try {
            ending.start();
        } catch (OutOfMemoryError e) {
            // Nothing may hide that the outcome is unknown.
            LOG.log(Level.WARNING, "A lost commit could not be ended at the server", e);
        }
        long start = System.nanoTime();
        boolean interrupted = false;
        for (long left = MOST_NANOS; left > 0 && ending.isAlive(); left = MOST_NANOS - (System.nanoTime() - start)) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(ending, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        session.kill();
    }

    private static void cancel(PgSession session) {
        try {
            Known known = KNOWN.get(session.place());
            boolean cancels = known != null && known.cancels();
            for (int i = 0; i < CANCELS; i++) {
                if (cancels) {
                    session.cancel();
                }
                if (i == 0) {
                    // Not earlier: a pooler knows the request only while it knows the client.
                    session.kill();
                }
                Thread.sleep(WaitSql.WATCH_MILLIS);
            }
        } catch (SQLException | InterruptedException e) {
            LOG.log(Level.WARNING, "A lost commit could not be ended at the server", e);
        }
    }
}
