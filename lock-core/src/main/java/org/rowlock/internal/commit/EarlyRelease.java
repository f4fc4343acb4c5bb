package org.rowlock.internal.commit;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.ReleaseSql;
import org.rowlock.internal.text.SqlState;

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

    /**
     * Commits the transaction of a connection in place of {@link Connection#commit()}. Leaves the connection without a
     * transaction.
     *
     * @param wanted as for {@link #ending}
     * @return whether it let go of the locks before it was durable
     * @throws CommitNotConfirmedException if it has committed on this server and is visible, and is not known to be
     *     durable
     * @throws SQLException as {@link Connection#commit()} throws it: nothing is stored, or the connection was lost.
     *     With SQLSTATE 08007 if it is not known for another reason whether it is stored
     */
    public boolean commit(Connection connection, boolean wanted) throws SQLException {
        PgSession session = PgSession.of(connection);
        if (connection.isClosed() || session.isAborted() || !session.hasBegun()) {
            connection.commit();
            return false;
        }
        Ending ending = ending(session, wanted);
        try {
            Commit.run(connection, List.of(), KeyNames.WITH_IDS, unused -> ending, List.of());
            return ending.isEarly();
        } catch (CommitNotConfirmedException e) {
            throw e;
        } catch (SQLException | RowlockException e) {
            SQLException failure = e instanceof SQLException own
                    ? own
                    : e.getCause() instanceof SQLException cause ? cause : new SQLException(e.getMessage(), e);
            PgSession.rollBack(connection, failure);
            throw failure;
        }
    }

    /**
     * Waits, behind a statement that has committed by itself, until all is durable that it may have read.
     *
     * @throws CommitNotConfirmedException if that is not known to be durable
     */
    public void awaitDurable(Connection connection) throws SQLException {
        PgSession session = PgSession.of(connection);
        @Nullable SQLException ended;
        try {
            Optional<ReleaseSql> sql = sql(session);
            if (sql.isEmpty()) {
                return;
            }
            FlushRunner.run(session, List.of(Part.control(sql.get().confirmReads())));
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
            ended = session.takeReplicationWarning();
        } catch (SQLException e) {
            ended = e;
            if (SqlState.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                known.remove(session.place());
                ended = sql(session).isEmpty() ? null : e;
            }
        }
        if (ended != null) {
            throw new CommitErrors(List.of(), KeyNames.WITH_IDS).notConfirmed(ended);
        }
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
