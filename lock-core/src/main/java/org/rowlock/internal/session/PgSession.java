package org.rowlock.internal.session;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import org.postgresql.PGStatement;
import org.postgresql.xa.PGXAConnection;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.Log;
import org.rowlock.internal.text.SqlState;

/**
 * The session of the caller's connection. Statements are created on the caller's connection, so that pools and proxies
 * notice the statements.
 */
public final class PgSession extends DriverSession {
    private final Connection connection;

    private PgSession(Connection connection) throws SQLException {
        super(connection);
        this.connection = connection;
    }

    /** Returns the session of a connection. First checks, without SQL, that locks can be acquired. */
    public static PgSession inTransaction(Connection connection) throws SQLException {
        if (connection.isClosed()) {
            throw refused(
                    NOT_TAKEN,
                    "the connection is closed; lock on the open connection of a transaction",
                    SqlState.CONNECTION_DOES_NOT_EXIST);
        }
        return new PgSession(connection).usable();
    }

    /** Returns this session. First checks, without SQL, that locks can be acquired in its transaction. */
    PgSession usable() throws SQLException {
        if (connection.getAutoCommit()) {
            throw refused(
                    NOT_TAKEN,
                    "the connection is in autocommit, "
                            + (hasBegun()
                                    ? "although BEGIN in SQL or XA has begun a transaction, whose end is not JDBC's;"
                                            + " call setAutoCommit(false) in place of BEGIN or XA"
                                    : "so the lock would be gone at once; call setAutoCommit(false) or begin a"
                                            + " transaction first"),
                    SqlState.NO_ACTIVE_SQL_TRANSACTION);
        }
        if (isAborted()) {
            throw refused(
                    NOT_TAKEN,
                    "an earlier statement of the transaction failed, and PostgreSQL ignores all others until it ends;"
                            + " roll back first",
                    SqlState.IN_FAILED_SQL_TRANSACTION);
        }
        refuseForcedDescribe();
        return this;
    }

    /**
     * Refuses a negative prepareThreshold. With such a threshold the driver sends statements separately, and assigns
     * results to the wrong statements.
     */
    void refuseForcedDescribe() {
        if (prepareThreshold() < 0) {
            throw refused(
                    "Nothing is locked or stored",
                    "the driver is set to prepareThreshold=" + prepareThreshold()
                            + ", with which it cannot send several statements in one round trip; set it to 0 or more in"
                            + " the JDBC URL or the DataSource (the default is 5)",
                    SqlState.OBJECT_NOT_IN_STATE);
        }
    }

    /** Returns the session of a connection, whatever the state of its transaction. */
    public static PgSession of(Connection connection) throws SQLException {
        return new PgSession(connection);
    }

    /**
     * Whether the connection is a handle of an XA connection of the driver. During an XA branch the handle refuses
     * commit(). Rowlock must not bypass this refusal, because a COMMIT would commit only a part of the global
     * transaction.
     */
    public boolean isOfXa() {
        return connection instanceof Proxy
                && Proxy.getInvocationHandler(connection)
                        .getClass()
                        .getName()
                        .startsWith(PGXAConnection.class.getPackageName() + '.');
    }

    public Connection connection() {
        return connection;
    }

    /** Throws an exception if the caller's code, such as a mapper or a listener, has ended the transaction. */
    public void refuseIfOver(String what) throws SQLException {
        if (connection.isClosed() || connection.getAutoCommit() || !hasBegun()) {
            throw refused(
                    what,
                    "code that runs in the transaction (the work, a row mapper, a listener) has ended the transaction"
                            + " and released its locks, by commit, rollback, close or setAutoCommit. Remove that call,"
                            + " because the code that began the transaction ends it.",
                    SqlState.INVALID_TRANSACTION_TERMINATION);
        }
    }

    public void abort(Throwable cause) {
        abortTransaction(WaitSql.ABORT, cause);
    }

    /**
     * Runs a statement after which the work of the transaction cannot be committed.
     *
     * @param sql a statement that fails, or a ROLLBACK
     * @param cause the failure; an error that prevents the abort is added as a suppressed exception
     */
    public void abortTransaction(String sql, Throwable cause) {
        try {
            execute(sql);
        } catch (SQLException e) {
            if (!isAborted()) {
                cause.addSuppressed(e);
            }
        }
    }

    /**
     * Runs a query. Returns the first column of the first row; an empty text if there is no row or the value is null.
     */
    public String ask(String sql, String... binds) throws SQLException {
        if (binds.length > 0) {
            return ask(prepare(sql), binds);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return Objects.requireNonNullElse(Part.first(statement), "");
        }
    }

    public static String ask(PreparedStatement query, String... binds) throws SQLException {
        try (query) {
            for (int i = 0; i < binds.length; i++) {
                query.setString(i + 1, binds[i]);
            }
            query.execute();
            return Objects.requireNonNullElse(Part.first(query), "");
        }
    }

    public PreparedStatement prepare(String sql) throws SQLException {
        return prepareScript(sql, false);
    }

    /**
     * Prepares a script that takes one round trip. The results are scrollable, so that all rows arrive at once even if
     * the application has set a fetch size. With a fetch size, the server could suspend a statement that locks rows,
     * and lock the remaining rows only after the following statements.
     *
     * @param untyped whether a bind has no type, for example null or a java.sql.Timestamp. Before a statement with such
     *     a bind, the driver waits for all earlier results, and then asks the server to describe the statement. A
     *     statement that is never prepared at the server avoids both
     */
    public PreparedStatement prepareScript(String sql, boolean untyped) throws SQLException {
        PreparedStatement statement =
                connection.prepareStatement(sql, ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
        // With stringtype=unspecified, the text parameters of Rowlock have no type either.
        if ((untyped || !areTextsTyped()) && statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
        return statement;
    }

    /**
     * Ensures that the server plans the statements of a flush with a front lock only once for each connection. Until
     * the usual threshold, planning would take most of the time of a front lock. A fleet would then start slowly.
     */
    public void prepareAtOnce(Statement statement) throws SQLException {
        if (statement.isWrapperFor(PGStatement.class)) {
            PGStatement driver = statement.unwrap(PGStatement.class);
            driver.setPrepareThreshold(areTextsTyped() ? Math.min(1, driver.getPrepareThreshold()) : 0);
        }
    }

    /**
     * Returns the driver's statement, without the wrappers of pools and proxies. Wrappers may lack methods of JDBC, or
     * fail, and a failure after the COMMIT would make the outcome unknown.
     */
    static Statement driversOwn(Statement statement) {
        try {
            boolean wraps = !(statement instanceof PGStatement) && statement.isWrapperFor(PGStatement.class);
            return wraps && statement.unwrap(PGStatement.class) instanceof Statement own ? own : statement;
        } catch (SQLException | RuntimeException e) {
            Log.debug("The driver's statement is not known", e);
            return statement;
        }
    }

    /** Returns the number of changed rows in the current result of a statement; -1 if the result is not a count. */
    public static long changed(Statement statement) throws SQLException {
        // Wrappers that are older than JDBC 4.2 lack getLargeUpdateCount().
        return statement instanceof PGStatement ? statement.getLargeUpdateCount() : statement.getUpdateCount();
    }

    public interface Look<T> {
        T look() throws SQLException;
    }

    /**
     * Runs a query. If the caller's transaction has not begun, rolls back after the query, because the caller's
     * transaction must not use the snapshot of the query.
     */
    public <T> T outsideTransaction(Look<T> look) throws SQLException {
        if (hasBegun() || connection.getAutoCommit()) {
            return look.look();
        }
        T seen;
        try {
            seen = look.look();
        } catch (SQLException | RuntimeException e) {
            abortTransaction("rollback", e);
            throw e;
        }
        execute("rollback");
        return seen;
    }

    /** Rolls back after a failure. An error of the rollback is added as a suppressed exception. */
    public static void rollBack(Connection connection, Throwable cause) {
        try {
            if (!connection.isClosed()) {
                connection.rollback();
            }
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /** Runs statements without parameters or results. */
    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
