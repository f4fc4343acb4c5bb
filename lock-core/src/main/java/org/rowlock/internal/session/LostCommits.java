package org.rowlock.internal.session;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.rowlock.internal.sql.WaitSql;

/**
 * Flushes with a COMMIT whose connection is lost. A server that waits for a lock does not notice that, and would commit
 * later, after the caller has looked and run the work again. Two things end it: the server itself, which {@link WaitSql#WATCH}
 * has look after its client, and a cancel request, which needs no session. Neither is certain: the request may meet the server
 * between two statements, or before the flush arrives, and is sent several times; and a firewall may have dropped the
 * connection without a word to the server.
 */
public final class LostCommits {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private static final int CANCELS = 3;
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    /**
     * Servers whose commits wait for no standby, as the last flush said. A cancel request would end such a wait, and make
     * visible what a failover can still lose.
     */
    private static final ConcurrentMap<Object, Boolean> WITHOUT_STANDBY = new ConcurrentHashMap<>();

    private LostCommits() {}

    /** Reads the result of {@link WaitSql#WATCH}. */
    public static void read(PgSession session, Statement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            boolean without = row.next() && row.getBoolean(2);
            WITHOUT_STANDBY.put(session.server(), without);
        }
    }

    /**
     * Ends the session and what the server may still do for it. Returns when the server has had the time to notice, at most
     * after a second and a half.
     */
    public static void end(PgSession session) {
        // A thread of its own, as a virtual thread that is interrupted can use no socket, and the driver's bound may be long.
        Thread ending = new Thread(() -> cancel(session), "rowlock-lost-commit");
        ending.setDaemon(true);
        ending.start();
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
    }

    private static void cancel(PgSession session) {
        try {
            boolean cancels = WITHOUT_STANDBY.getOrDefault(session.server(), false);
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
