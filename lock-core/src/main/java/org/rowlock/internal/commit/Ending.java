package org.rowlock.internal.commit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.ReleaseSql;
import org.rowlock.internal.text.SqlState;

/**
 * The last statements of one transaction: COMMIT, and what goes around it, in one flush. Made anew for each.
 */
public final class Ending {
    /** As the driver itself has it, so that a monitor of statements knows it. */
    private static final String COMMIT = "COMMIT";

    /** The driver's commit() has none either, whatever is the default of its statements. */
    static final int NO_TIMEOUT = 0;

    private final @Nullable ReleaseSql sql;
    private final boolean early;
    private final boolean simple;
    private final Runnable failed;
    private final String mark;
    private @Nullable String kept;
    private @Nullable String confirmed;

    /** Chooses, when the transaction is to end. */
    @FunctionalInterface
    public interface Choice {
        /** COMMIT alone. */
        Choice PLAIN = session -> Ending.plain();

        Ending of(PgSession session) throws SQLException;
    }

    private Ending(@Nullable ReleaseSql sql, boolean early, boolean simple, Runnable failed) {
        this.sql = sql;
        this.early = early;
        this.simple = simple;
        this.failed = failed;
        this.mark = early ? mark() : "";
    }

    /** COMMIT alone. */
    static Ending plain() {
        return new Ending(null, false, false, () -> {});
    }

    /**
     * COMMIT lets go of the locks at once, and what follows waits until it is durable.
     *
     * @param failed is called if what follows cannot be done here
     */
    static Ending early(ReleaseSql sql, PgSession session, Runnable failed) {
        return new Ending(sql, true, session.isSimpleQueryMode(), failed);
    }

    /**
     * COMMIT waits until all is durable that the transaction may have read, also if it has written nothing itself.
     *
     * @param failed is called if the role may not do what is in front of it any more
     */
    static Ending confirmingReads(ReleaseSql sql, PgSession session, Runnable failed) {
        return new Ending(sql, false, session.isSimpleQueryMode(), failed);
    }

    /** Distinguishes one transaction's from another's that had the session before. */
    private static String mark() {
        String hex = Long.toHexString(ThreadLocalRandom.current().nextLong());
        return "0".repeat(ReleaseSql.MARK_LENGTH - hex.length()) + hex;
    }

    boolean isPlain() {
        return sql == null;
    }

    boolean isEarly() {
        return early;
    }

    /**
     * Whether it cannot follow other statements in their flush: in simple mode each would be a message of its own, and
     * a pooler may take the next for another's.
     */
    boolean isAlone() {
        return simple;
    }

    List<String> statements() {
        if (sql == null) {
            return List.of(COMMIT);
        }
        return early ? List.of(ReleaseSql.KEEP, COMMIT, sql.confirm()) : List.of(sql.confirmReads(), COMMIT);
    }

    List<@Nullable Object> binds() {
        return early ? List.of(mark) : List.of();
    }

    /** Sends it in a flush of its own. */
    @Nullable
    SQLWarning send(PgSession session) throws SQLException {
        String text = String.join("\n;", statements());
        if (simple) {
            try (Statement statement = session.connection().createStatement()) {
                statement.setQueryTimeout(NO_TIMEOUT);
                return send(session, statement, () -> statement.execute(text.replace("?", '\'' + mark + '\'')));
            }
        }
        try (PreparedStatement statement = session.prepareScript(text, false)) {
            statement.setQueryTimeout(NO_TIMEOUT);
            if (early) {
                statement.setString(1, mark);
            }
            return send(session, statement, statement::execute);
        }
    }

    private interface Execution {
        boolean execute() throws SQLException;
    }

    /** What a deferred trigger says is the connection's, as after the driver's commit, be the COMMIT done or not. */
    private @Nullable SQLWarning send(PgSession session, Statement statement, Execution execution) throws SQLException {
        try {
            read(statement, execution.execute());
        } finally {
            session.addWarnings(statement.getWarnings());
        }
        return PgSession.replicationWarning(statement.getWarnings());
    }

    /** Reads what its statements returned. Leaves the statement at the last result. */
    void read(Statement statement, boolean isRows) throws SQLException {
        if (isPlain()) {
            return;
        }
        if (isRows) {
            kept = first(statement);
        }
        // The rows of the writes in front are still to be mapped.
        statement.getMoreResults(Statement.KEEP_CURRENT_RESULT);
        if (early && statement.getMoreResults(Statement.KEEP_CURRENT_RESULT)) {
            confirmed = first(statement);
        }
    }

    private static @Nullable String first(Statement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            return row.next() ? row.getString(1) : null;
        }
    }

    /**
     * Makes sure that what was waited for was what the transaction was to wait for, and reports if not: a pooler
     * may have sent what is behind the COMMIT by another session.
     *
     * @param warning of the server, that it has not waited for its standby
     * @throws UnconfirmedCommit if it is not known to be durable
     */
    void confirm(PgSession session, @Nullable SQLWarning warning) throws UnconfirmedCommit {
        SQLException ended = warning;
        if (early && ended == null && (kept == null || !kept.equals(confirmed))) {
            ended = confirmAgain(session);
        }
        if (ended != null) {
            throw new UnconfirmedCommit(ended);
        }
    }

    private @Nullable SQLException confirmAgain(PgSession session) {
        Connection connection = session.connection();
        try {
            String level = kept == null ? "remote_apply" : kept.substring(ReleaseSql.MARK_LENGTH + 1);
            if (!level.equals("off")) {
                session.execute(ReleaseSql.confirmAt(level));
                connection.commit();
            }
            return session.takeReplicationWarning();
        } catch (SQLException e) {
            rollBack(connection, e);
            return e;
        }
    }

    /**
     * What the failure of the flush means.
     *
     * @return the same where nothing is stored, or nobody knows; an {@link UnconfirmedCommit} where it is stored; with
     *     class 08 if that is not known behind a pooler
     */
    SQLException judged(PgSession session, SQLException e) throws SQLException {
        if (early && SqlState.TRANSACTION_TIMEOUT.equals(e.getSQLState())) {
            return unknown("which of them it was cannot be told", e);
        }
        if (session.isClosed()) {
            return judgedClosed(e);
        }
        if (!mayBeBehind(e) || session.hasBegun()) {
            if (!early && SqlState.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                failed.run();
            }
            return e;
        }
        if (!early) {
            return unknown("which of them it was cannot be told", e);
        }
        Connection connection = session.connection();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(ReleaseSql.KEPT)) {
            row.next();
            String found = row.getString(1);
            if (found != null && found.startsWith(mark)) {
                if (SqlState.isRefusal(e.getSQLState())) {
                    failed.run();
                }
                return new UnconfirmedCommit(e);
            }
            return session.isServerProcess(row.getInt(2))
                    ? e
                    : unknown("the pooler has sent the question which by another session", e);
        } catch (SQLException f) {
            SQLException unknown = unknown("the question which failed too (" + f.getMessage() + ")", e);
            unknown.addSuppressed(f);
            return unknown;
        } finally {
            rollBack(connection, e);
        }
    }

    /** The same of a connection that cannot be asked any more. */
    SQLException judgedClosed(SQLException e) {
        return mayBeBehind(e) && !SqlState.isConnectionLost(e.getSQLState())
                ? unknown("which of them it was cannot be asked, as the connection is closed", e)
                : e;
    }

    /** Whether it can have come when the server had committed, which a transaction that is left refutes. */
    private boolean mayBeBehind(SQLException e) {
        return early ? mayBeConfirmations(e) : ServerErrors.mayBeBehindCommit(e);
    }

    private static SQLException unknown(String why, SQLException e) {
        return new SQLException(
                "The COMMIT, or what waits behind it until it is durable, failed (" + e.getMessage() + "), and " + why,
                SqlState.TRANSACTION_RESOLUTION_UNKNOWN,
                e);
    }

    /** Whether it is an error that can come from behind the COMMIT, and not only from it or from what is in front. */
    private static boolean mayBeConfirmations(SQLException e) {
        return ServerErrors.isServers(e)
                && switch (SqlState.of(e)
                        .substring(0, Math.min(2, SqlState.of(e).length()))) {
                    case "23", "25", "40", "P0" -> false;
                    default -> true;
                };
    }

    /** The transaction, if there is any left. */
    static void rollBack(Connection connection, SQLException cause) {
        try {
            if (!connection.isClosed()) {
                connection.rollback();
            }
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }
}
