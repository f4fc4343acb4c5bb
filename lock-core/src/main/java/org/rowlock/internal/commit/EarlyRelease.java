package org.rowlock.internal.commit;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.AutoSave;
import org.rowlock.internal.session.LostCommits;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.ReleaseSql;
import org.rowlock.internal.text.SqlState;

/**
 * Commits that let go of the locks before they are durable, and return when they are. Knows which databases can do it:
 * each is asked once, and one that cannot is said once in the log and gets plain commits. Thread-safe; one for all
 * connections of an application.
 */
public final class EarlyRelease {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /** By database and role; empty where it cannot be. */
    private final ConcurrentMap<String, Optional<ReleaseSql>> known = new ConcurrentHashMap<>();

    /**
     * How to end a transaction.
     *
     * @param wanted whether others want what it has locked; if not it ends with a COMMIT that waits under the lock,
     *     which costs less
     */
    public Ending ending(PgSession session, boolean wanted) throws SQLException {
        Optional<ReleaseSql> sql = session.isOfXa() ? Optional.empty() : sql(session);
        if (sql.isEmpty()) {
            return Ending.plain();
        }
        String database = key(session);
        if (!wanted || session.prepareThreshold() < 0) {
            return Ending.confirmingReads(sql.get(), session, () -> known.remove(database));
        }
        return Ending.early(sql.get(), session, () -> {
            known.put(database, Optional.empty());
            say(database, "what waits until a commit is durable has failed");
        });
    }

    /**
     * Commits the transaction of a connection in place of {@link Connection#commit()}. Leaves the connection without a
     * transaction.
     *
     * @param wanted as for {@link #ending}
     * @return whether it let go of the locks before it was durable
     * @throws UnconfirmedCommit if it has committed on this server and is visible, and is not known to be durable
     * @throws SQLException as {@link Connection#commit()} throws it: nothing is stored, or the connection was lost
     */
    public boolean commit(Connection connection, boolean wanted) throws SQLException {
        PgSession session = PgSession.of(connection);
        Ending ending = connection.isClosed() || session.isAborted() || !session.hasBegun()
                ? Ending.plain()
                : ending(session, wanted);
        if (ending.isPlain()) {
            connection.commit();
            return false;
        }
        SQLWarning warning;
        AutoSave autosave = session.withoutAutosave();
        try {
            warning = ending.send(session);
        } catch (SQLException e) {
            if (ServerErrors.mayRunOn(e)) {
                LostCommits.end(session);
            }
            SQLException judged = ending.judged(session, e);
            Ending.rollBack(connection, judged);
            throw judged;
        } finally {
            session.setAutosave(autosave);
        }
        tell(connection);
        ending.confirm(session, warning);
        return ending.isEarly();
    }

    /**
     * Waits, behind a statement that has committed by itself, until all is durable that it may have read.
     *
     * @throws UnconfirmedCommit if that is not known to be durable
     */
    public void awaitDurable(Connection connection) throws SQLException {
        PgSession session = PgSession.of(connection);
        @Nullable SQLException ended;
        try {
            Optional<ReleaseSql> sql = sql(session);
            ended = sql.isEmpty() ? null : confirmReads(session, sql.get());
        } catch (SQLException e) {
            ended = e;
            if (SqlState.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                known.remove(key(session));
                ended = sql(session).isEmpty() ? null : e;
            }
        }
        if (ended != null) {
            throw new UnconfirmedCommit(ended);
        }
    }

    private static @Nullable SQLWarning confirmReads(PgSession session, ReleaseSql sql) throws SQLException {
        Connection connection = session.connection();
        try (PreparedStatement statement = session.prepare(sql.confirmReads())) {
            statement.setQueryTimeout(Ending.NO_TIMEOUT);
            statement.execute();
            if (connection.getAutoCommit()) {
                return PgSession.replicationWarning(statement.getWarnings());
            }
        }
        connection.commit();
        return session.takeReplicationWarning();
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

    /** What a mapper has begun is neither the caller's transaction nor the pool's. */
    static void leaveNothingBegun(PgSession session) {
        try {
            if (!session.isClosed() && session.hasBegun()) {
                session.connection().rollback();
            }
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "A connection failed after its transaction had committed", e);
        }
    }

    private Optional<ReleaseSql> sql(PgSession session) throws SQLException {
        if (session.isHotStandby()) {
            return Optional.empty();
        }
        String database = key(session);
        Optional<ReleaseSql> sql = known.get(database);
        if (sql == null) {
            sql = ask(session, database);
            known.putIfAbsent(database, sql);
        }
        return sql;
    }

    private static String key(PgSession session) throws SQLException {
        return session.database() + " as " + session.user();
    }

    private static Optional<ReleaseSql> ask(PgSession session, String database) throws SQLException {
        boolean begun = session.hasBegun();
        String reason = "it is not PostgreSQL itself";
        boolean flushing = false;
        if (session.reported("crdb_version") == null) {
            try (Statement statement = session.connection().createStatement();
                    ResultSet row = statement.executeQuery(ReleaseSql.ASK)) {
                row.next();
                reason = row.getString(1);
                flushing = row.getBoolean(2);
            }
            if (!begun && session.hasBegun()) {
                session.connection().rollback();
            }
        }
        if (reason == null) {
            return Optional.of(new ReleaseSql(flushing));
        }
        say(database, reason);
        return Optional.empty();
    }

    private static void say(String database, String reason) {
        LOG.log(
                Level.WARNING,
                "Locks at " + database + " are held until the commit is durable, as with release PLAIN: " + reason);
    }
}
