package org.rowlock.internal.commit;

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
import org.rowlock.internal.text.Log;

/**
 * Chooses how transactions end if early release is configured. With early release, a COMMIT releases the locks before
 * the transaction is durable, but the caller still waits until the transaction is durable. Rowlock checks for each
 * host, database and role whether early release is supported. The result is cached, and changes only after a statement
 * of early release has failed. If early release is not supported, Rowlock logs the reason and uses plain commits.
 * Thread-safe; all connections of a {@code RowLocks} object share one instance.
 */
public final class EarlyRelease {
    /** The statements by host, database and role; empty if early release is not supported there. */
    private final ConcurrentMap<Object, Optional<ReleaseSql>> known = new ConcurrentHashMap<>();

    private final AtomicBoolean modeSaid = new AtomicBoolean();

    /**
     * Returns the ending of a transaction. If {@code wanted} is false, the locks are held until the transaction is
     * durable, because this ending costs less than early release. The locks are also held if the driver cannot send the
     * COMMIT and the statement after it together. A pooler might then send the second statement to another session.
     */
    public Ending ending(PgSession session, boolean wanted) throws SQLException {
        Optional<ReleaseSql> sql = session.isOfXa() ? Optional.empty() : sql(session);
        if (sql.isEmpty()) {
            return Ending.plain();
        }
        Object database = session.place();
        boolean early = wanted && session.prepareThreshold() >= 0 && !session.isSimpleQueryMode();
        if (wanted && !early && modeSaid.compareAndSet(false, true)) {
            none(database, "the driver is set to preferQueryMode=simple, or to a prepareThreshold below zero");
        }
        return new Ending(sql.get(), early, () -> {
            if (early) {
                known.put(database, none(database, "the statement that waits until a commit is durable has failed"));
            } else {
                known.remove(database);
            }
        });
    }

    /** Calls commit() after the end of the transaction, so that pools and proxies notice the end. Sends nothing. */
    static void tell(Connection connection) {
        try {
            connection.commit();
        } catch (Throwable e) {
            // An Error is caught too. To the caller, any exception would mean that nothing is stored.
            Log.warn("A connection failed after its transaction had committed", e);
        }
    }

    private Optional<ReleaseSql> sql(PgSession session) throws SQLException {
        Object database = session.place();
        Optional<ReleaseSql> sql = session.isHotStandby() ? Optional.empty() : known.get(database);
        if (sql == null) {
            sql = session.reported("crdb_version") == null
                    ? session.outsideTransaction(() -> ask(session))
                    : none(database, "the server is not PostgreSQL itself");
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

    private static Optional<ReleaseSql> none(Object database, String reason) {
        Log.warn(
                "Locks at " + database + " are held until the commit is durable, as with release PLAIN: " + reason,
                null);
        return Optional.empty();
    }
}
