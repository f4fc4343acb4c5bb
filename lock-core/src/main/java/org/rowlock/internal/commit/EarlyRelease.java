package org.rowlock.internal.commit;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.ReleaseSql;

/**
 * Commits that let go of the locks before they are durable, and return when they are. Knows which databases can do it:
 * each is asked once, and one that cannot is said once in the log and gets plain commits. Thread-safe; one for all
 * connections of an application.
 */
public final class EarlyRelease {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /** By host, database and role; empty where it cannot be. */
    private final ConcurrentMap<Object, Optional<ReleaseSql>> known = new ConcurrentHashMap<>();

    private final AtomicBoolean modeSaid = new AtomicBoolean();

    /**
     * For a transaction whose locks others want, or not: then a COMMIT that waits under the lock costs less. So it does
     * where the driver sends what is behind the COMMIT by itself, and a pooler may take that for another's.
     */
    public Ending ending(PgSession session, boolean wanted) throws SQLException {
        Optional<ReleaseSql> sql = session.isOfXa() ? Optional.empty() : sql(session);
        if (sql.isEmpty()) {
            return Ending.PLAIN;
        }
        Object database = session.place();
        boolean early = wanted && session.prepareThreshold() >= 0 && !session.isSimpleQueryMode();
        if (wanted && !early && modeSaid.compareAndSet(false, true)) {
            none(database, "the driver is set to preferQueryMode=simple, or to a prepareThreshold below zero");
        }
        return new Ending(sql.get(), early, () -> {
            if (early) {
                known.put(database, none(database, "what waits until a commit is durable has failed"));
            } else {
                known.remove(database);
            }
        });
    }

    /** Sends nothing, as the transaction is over; but pools and proxies on the way see that it is. */
    static void tell(Connection connection) {
        try {
            connection.commit();
        } catch (Throwable e) {
            // Throwable, as what is stored must not look as if it were not.
            LOG.log(Level.WARNING, "A connection failed after its transaction had committed", e);
        }
    }

    private Optional<ReleaseSql> sql(PgSession session) throws SQLException {
        Object database = session.place();
        Optional<ReleaseSql> sql = session.isHotStandby() ? Optional.empty() : known.get(database);
        if (sql == null) {
            sql = session.reported("crdb_version") == null
                    ? session.outsideTransaction(() -> ask(session))
                    : none(database, "it is not PostgreSQL itself");
            known.putIfAbsent(database, sql);
        }
        return sql;
    }

    private static Optional<ReleaseSql> ask(PgSession session) throws SQLException {
        try (Statement statement = session.connection().createStatement();
                ResultSet row = statement.executeQuery(ReleaseSql.ASK)) {
            row.next();
            String reason = row.getString(1);
            return reason == null ? Optional.of(ReleaseSql.of(row.getBoolean(2))) : none(session.place(), reason);
        }
    }

    /** Commits stay plain, and the log says why. */
    private static Optional<ReleaseSql> none(Object database, String reason) {
        LOG.log(
                Level.WARNING,
                "Locks at " + database + " are held until the commit is durable, as with release PLAIN: " + reason);
        return Optional.empty();
    }
}
