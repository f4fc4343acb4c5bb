package org.rowlock.internal.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutor;
import org.postgresql.core.SqlCommand;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.jdbc.PreferQueryMode;
import org.rowlock.LockTransactionException;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.text.Tokens;
import org.rowlock.internal.value.Insert;

/**
 * The state and settings of a connection that the driver knows without a round trip. Only this class uses {@code
 * BaseConnection}, which is not part of pgjdbc's API.
 */
abstract class DriverSession {
    static final String NOT_TAKEN = "No lock was taken";

    private final BaseConnection driver;

    DriverSession(Connection connection) throws SQLException {
        this.driver = unwrap(connection);
    }

    /** Whether a connection is a connection of PostgreSQL's driver, or a wrapper of such a connection. */
    public static boolean leadsToDriver(Connection connection) throws SQLException {
        return withoutPool(connection).isWrapperFor(BaseConnection.class);
    }

    /** Removes one wrapper if it hides the driver's connection, as the wrapper of Tomcat's pool does. */
    private static Connection withoutPool(Connection connection) throws SQLException {
        return !connection.isWrapperFor(BaseConnection.class) && connection.isWrapperFor(Connection.class)
                ? connection.unwrap(Connection.class)
                : connection;
    }

    private static BaseConnection unwrap(Connection connection) throws SQLException {
        try {
            // The proxy of a pool may have the driver's interfaces, but not its class.
            if (connection instanceof BaseConnection driver && driver instanceof PgConnection) {
                return driver;
            }
            Connection own = withoutPool(connection);
            if (own.isWrapperFor(ForwardingSession.class)) {
                return unwrap(own.unwrap(ForwardingSession.class).target());
            }
            var type = own.isWrapperFor(PgConnection.class) ? PgConnection.class : BaseConnection.class;
            if (own.isWrapperFor(type)) {
                return own.unwrap(type);
            }
        } catch (LinkageError e) {
            Driver driver = new Driver();
            throw new LockTransactionException(
                    "No lock was taken: the PostgreSQL JDBC driver on the class path, " + driver.getMajorVersion() + '.'
                            + driver.getMinorVersion() + ", lacks a class or method that Rowlock needs ("
                            + e.getMessage() + "); use org.postgresql:postgresql 42.7",
                    SqlState.FEATURE_NOT_SUPPORTED,
                    e);
        }
        throw refused(
                NOT_TAKEN,
                "the connection (" + connection.getClass().getName() + ") does not come from the PostgreSQL JDBC"
                        + " driver, and cannot be unwrapped to a connection of that driver; use"
                        + " org.postgresql:postgresql, directly or in a pool that supports unwrap()",
                SqlState.FEATURE_NOT_SUPPORTED);
    }

    static LockTransactionException refused(String what, String why, String sqlState) {
        return new LockTransactionException(what + ": " + why, sqlState, null);
    }

    /** Whether the driver sends text parameters with a type; false with stringtype=unspecified. */
    boolean areTextsTyped() {
        return driver.getStringVarcharFlag();
    }

    /** Returns the driver's connection, which stays open after the handle of the pool is closed. */
    public Connection driver() {
        return driver;
    }

    /** Whether the transaction has begun at the server. The driver sends BEGIN only with the first statement. */
    public boolean hasBegun() {
        return driver.getTransactionState() != TransactionState.IDLE;
    }

    public boolean isOpen() {
        return driver.getTransactionState() == TransactionState.OPEN;
    }

    public boolean isAborted() {
        return driver.getTransactionState() == TransactionState.FAILED;
    }

    public boolean isHotStandby() {
        return "on".equals(reported("in_hot_standby"));
    }

    /**
     * Returns the reason why every transaction of this session is read-only, for example because a failover has changed
     * the role of the server. Returns null if transactions can write, or if the application itself has set the
     * connection to read-only.
     */
    @Nullable
    public String readOnlyBy() {
        try {
            if (driver.isReadOnly()) {
                return null;
            }
        } catch (SQLException e) {
            return null; // After the connection is closed, read-only settings do not explain the failure.
        }
        if (isHotStandby()) {
            return "the server is a hot standby, whose locks exclude no transaction on the primary";
        }
        return "on".equals(reported("default_transaction_read_only"))
                ? "this session's transactions are read-only (default_transaction_read_only is on)"
                : null;
    }

    /** Returns a setting that the server reports without a query; null if the server does not report the setting. */
    @Nullable
    public String reported(String setting) {
        return driver.getParameterStatus(setting);
    }

    public Map<String, String> reported() {
        return driver.getParameterStatuses();
    }

    /** Returns the URL to which the driver connected, or another text that identifies the place. */
    public final String url() throws SQLException {
        // The driver's class for metadata is large, and would be loaded only for this.
        return driver instanceof PgConnection own ? own.getURL() : String.valueOf(place());
    }

    /** Returns the host, database and role of the connection, even if the connection is closed. */
    public Object place() {
        QueryExecutor executor = driver.getQueryExecutor();
        return List.of(executor.getHostSpec(), executor.getDatabase(), executor.getUser());
    }

    public void addWarnings(@Nullable SQLWarning first) {
        if (first != null && driver instanceof PgConnection connection) {
            connection.addWarning(first);
        }
    }

    /** Parses a text with the driver, without running it. */
    public WriteForm formOf(String sql) throws SQLException {
        Query query = driver.createQuery(sql, true, true).query;
        Query[] several = query.getSubqueries();
        SqlCommand command = query.getSqlCommand();
        String keyword = Tokens.firstWord(sql);
        boolean changes = !keyword.equals("with")
                && command != null
                && switch (command.getType()) {
                    case INSERT, UPDATE, DELETE -> true;
                    default -> false;
                };
        return new WriteForm(
                Insert.withoutSemicolon(sql),
                keyword,
                changes,
                command != null && command.isReturningKeywordPresent(),
                query.createParameterList().getParameterCount(),
                several == null ? keyword.isEmpty() ? 0 : 1 : several.length);
    }

    /** Stops the driver's own savepoints between the statements of a script, until the returned task runs. */
    public Runnable withoutAutosave() {
        AutoSave before = driver.getAutosave();
        driver.setAutosave(AutoSave.NEVER);
        return () -> driver.setAutosave(before);
    }

    /** Returns the number of executions after which the driver prepares a statement at the server; 0 for never. */
    public int prepareThreshold() {
        return driver.getPrepareThreshold();
    }

    /** Whether the driver sends each statement as a separate simple query. */
    public boolean isSimpleQueryMode() {
        return driver.getPreferQueryMode() == PreferQueryMode.SIMPLE;
    }

    /** Whether the driver sends a front lock and the next statement in one flush, with nothing between them. */
    public boolean carriesFronts() {
        PreferQueryMode queries = driver.getPreferQueryMode();
        return (queries == PreferQueryMode.EXTENDED || queries == PreferQueryMode.EXTENDED_CACHE_EVERYTHING)
                && prepareThreshold() >= 0
                && driver.getAutosave() == AutoSave.NEVER;
    }

    /** Whether each statement is a transaction of its own, which the driver sends in one flush without savepoints. */
    public boolean isPlainAutocommit() throws SQLException {
        return driver.getAutoCommit()
                && !driver.isReadOnly()
                && driver.getAutosave() == AutoSave.NEVER
                && !isSimpleQueryMode();
    }

    public void setPrepareThreshold(int executions) {
        driver.setPrepareThreshold(executions);
    }

    /** Returns the id of the server process, for messages. With a pooler, the id may be wrong or missing. */
    public int serverProcess() {
        return driver.getBackendPID();
    }

    /** Sends a cancel request on a separate connection, which works even if the session's own is lost. */
    void cancel() throws SQLException {
        driver.getQueryExecutor().sendQueryCancel();
    }

    /** Whether the session is still usable, even if the pool has closed its handle. */
    public boolean isAlive() throws SQLException {
        return !driver.isClosed();
    }

    /**
     * Closes the connection of a session that could not be cleaned up, so that the server releases the locks.
     *
     * @param cause the failure; an error of this method is added as a suppressed exception
     */
    public void kill(Throwable cause) {
        try {
            driver.abort(Runnable::run);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    public String user() {
        return driver.getQueryExecutor().getUser();
    }
}
