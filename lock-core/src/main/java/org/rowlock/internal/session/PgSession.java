package org.rowlock.internal.session;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGStatement;
import org.postgresql.xa.PGXAConnection;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.SqlState;

/**
 * The caller's connection and what the driver knows of it without a round trip. Statements go through the connection
 * as the caller gave it, so that pools and proxies see them.
 */
public final class PgSession extends DriverSession {
    /** An expression: the schemas in which a name without one is looked for. */
    static final String SCHEMAS = "pg_catalog.array_to_string(pg_catalog.current_schemas(true), ',')";

    private static final Logger LOG = System.getLogger("org.rowlock");

    private final Connection connection;

    private PgSession(Connection connection) throws SQLException {
        super(connection);
        this.connection = connection;
    }

    /** Checks, before any SQL, that a lock of this connection's transaction can mean anything. */
    public static PgSession inTransaction(Connection connection) throws SQLException {
        if (connection.isClosed()) {
            throw refused(
                    "the connection is closed; take the lock on the open connection of a transaction",
                    SqlState.CONNECTION_DOES_NOT_EXIST);
        }
        if (connection.getAutoCommit()) {
            throw refused(
                    "the connection is in autocommit, so the lock would be gone at once; call setAutoCommit(false) or"
                            + " begin a transaction first",
                    SqlState.NO_ACTIVE_SQL_TRANSACTION);
        }
        PgSession session = new PgSession(connection);
        if (session.isAborted()) {
            throw refused(
                    "an earlier statement of the transaction failed, and PostgreSQL ignores all others until it ends;"
                            + " roll back first",
                    SqlState.IN_FAILED_SQL_TRANSACTION);
        }
        session.refuseForcedDescribe();
        return session;
    }

    /** With a threshold below zero the driver sends no statements at once, and takes one's result for another's. */
    void refuseForcedDescribe() {
        if (prepareThreshold() < 0) {
            throw refused(
                    "Nothing is locked or stored",
                    "the driver is set to prepareThreshold=" + prepareThreshold()
                            + ", with which it cannot send a lock,"
                            + " or writes, and what follows at once; set it to 0 or more in the JDBC URL or the"
                            + " DataSource (the default is 5)",
                    SqlState.OBJECT_NOT_IN_STATE);
        }
    }

    /** What the driver knows of a connection, in whatever state it is. */
    public static PgSession of(Connection connection) throws SQLException {
        return new PgSession(connection);
    }

    /**
     * Whether it is the driver's own handle of an XA connection: in a branch its commit() is refused, and what goes
     * around that would commit a part of the whole.
     */
    public boolean isOfXa() {
        return Proxy.isProxyClass(connection.getClass())
                && Proxy.getInvocationHandler(connection)
                        .getClass()
                        .getName()
                        .startsWith(PGXAConnection.class.getPackageName() + '.');
    }

    public Connection connection() {
        return connection;
    }

    /**
     * Refuses to go on where code of the caller's, such as a mapper or a listener, has ended the transaction.
     *
     * @param what is to be refused, in the words of a message
     */
    public void refuseIfOver(String what) throws SQLException {
        if (connection.isClosed() || connection.getAutoCommit() || !hasBegun()) {
            throw refused(
                    what,
                    "code that runs in the transaction (the work, a row mapper, a listener) has ended it, by commit,"
                            + " rollback, close or setAutoCommit, and its locks with it. Leave the end of the"
                            + " transaction to the code around it.",
                    SqlState.INVALID_TRANSACTION_TERMINATION);
        }
    }

    /** Aborts the transaction, so that nothing of it can be committed. */
    public void abort(Throwable cause) {
        abortTransaction(WaitSql.ABORT, cause);
    }

    /**
     * Aborts the transaction by other SQL than {@link #abort} does.
     *
     * @param sql that fails
     * @param cause of it, to which is added what keeps it from failing
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
     * Whether the transaction, which has begun, holds no row, as the server says in one round trip. Every row lock
     * implies a transaction id, which reads do not need.
     *
     * @return false also where the role may not ask
     */
    public boolean holdsNoRow() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(WaitSql.HAS_NO_ID);
            statement.getMoreResults();
            return "t".equals(Part.first(statement));
        } catch (SQLException e) {
            if (!isAborted()) {
                throw e;
            }
            execute(WaitSql.ROLLBACK_TO_SAVEPOINT);
            return false;
        }
    }

    /** The value of an expression: a round trip. */
    public String ask(String expression) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select " + expression)) {
            row.next();
            return row.getString(1);
        }
    }

    /** The first column of the first row that a query with one parameter returns; empty if there is none. */
    public String askRow(String sql, String parameter) throws SQLException {
        try (PreparedStatement statement = prepare(sql)) {
            statement.setString(1, parameter);
            statement.execute();
            String first = Part.first(statement);
            return first == null ? "" : first;
        }
    }

    public boolean isClosed() throws SQLException {
        return connection.isClosed();
    }

    /** Prepares a statement whose binds have types of their own. */
    public PreparedStatement prepare(String sql) throws SQLException {
        return prepareScript(sql, false);
    }

    /**
     * Prepares a script that is to take one round trip. Its results can be scrolled in, so that all rows come at once,
     * whatever fetch size the driver is set to: a suspended statement would run on, and lock on, behind the statements
     * that follow it.
     *
     * @param untyped whether a bind has no type of its own, as null and java.sql.Timestamp have none. For such a
     *     statement the driver asks the server what it will return, and from then on waits for the results in front of
     *     it before it sends it; unless the server is not to keep it
     */
    public PreparedStatement prepareScript(String sql, boolean untyped) throws SQLException {
        PreparedStatement statement =
                connection.prepareStatement(sql, ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
        // With stringtype=unspecified our own texts have no type either.
        if ((untyped || !areTextsTyped()) && statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
        return statement;
    }

    /**
     * The driver's own statement behind the given one, or that one. Pools and proxies lack methods of JDBC, or fail in
     * them; behind a COMMIT that would leave its outcome open, so they are not called there.
     */
    static Statement driversOwn(Statement statement) {
        try {
            boolean wraps = !(statement instanceof PGStatement) && statement.isWrapperFor(PGStatement.class);
            return wraps && statement.unwrap(PGStatement.class) instanceof Statement own ? own : statement;
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "The driver's statement is not known", e);
            return statement;
        }
    }

    /** How many rows the current result of a statement has changed; -1 if it is no count. */
    public static long changed(Statement statement) throws SQLException {
        // Wrappers of before JDBC 4.2 have the other method alone.
        return statement instanceof PGStatement ? statement.getLargeUpdateCount() : statement.getUpdateCount();
    }

    /** A question to the server. */
    public interface Look<T> {
        T look() throws SQLException;
    }

    /** Asks. If that begins the transaction it is ended, so that the question takes no snapshot for the caller. */
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

    /** Rolls back, if there is a connection, after a failure, which is told of another. */
    public static void rollBack(Connection connection, Throwable cause) {
        try {
            if (!connection.isClosed()) {
                connection.rollback();
            }
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /** Runs statements without parameters and results. */
    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
