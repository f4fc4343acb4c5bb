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
import org.postgresql.util.PSQLWarning;
import org.rowlock.LockTransactionException;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.text.Insert;
import org.rowlock.internal.text.SqlState;

/**
 * The driver's own state of a connection, and its settings, without a round trip. Only this class uses pgjdbc's
 * {@code BaseConnection}, which is not part of its API.
 */
abstract class DriverSession {
    private final BaseConnection driver;

    DriverSession(Connection connection) throws SQLException {
        this.driver = unwrap(connection);
        if (driver.haveMinimumServerVersion(ServerVersions.UNKNOWN)) {
            ServerVersions.warn(driver.getMetaData().getDatabaseProductVersion(), url());
        }
    }

    /** Whether a connection is one of PostgreSQL's driver, or wraps one. */
    public static boolean leadsToDriver(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class);
    }

    private static BaseConnection unwrap(Connection connection) throws SQLException {
        try {
            if (connection instanceof BaseConnection driver) {
                return driver;
            }
            if (connection.isWrapperFor(BaseConnection.class)) {
                return connection.unwrap(BaseConnection.class);
            }
        } catch (LinkageError e) {
            Driver driver = new Driver();
            throw new LockTransactionException(
                    "No lock was taken: the PostgreSQL JDBC driver on the class path, " + driver.getMajorVersion() + '.'
                            + driver.getMinorVersion() + ", lacks what Rowlock needs of it (" + e.getMessage()
                            + "); use org.postgresql:postgresql 42.7",
                    SqlState.FEATURE_NOT_SUPPORTED,
                    e);
        }
        throw refused(
                "the connection (" + connection.getClass().getName() + ") is not one of the PostgreSQL JDBC driver and"
                        + " does not unwrap to one; use org.postgresql:postgresql, directly or in a pool that supports"
                        + " unwrap()",
                SqlState.FEATURE_NOT_SUPPORTED);
    }

    static LockTransactionException refused(String why, String sqlState) {
        return refused("No lock was taken", why, sqlState);
    }

    /** @param what the refused action, for the message */
    static LockTransactionException refused(String what, String why, String sqlState) {
        return new LockTransactionException(what + ": " + why, sqlState, null);
    }

    /** Whether bound texts have a type. They have none with stringtype=unspecified. */
    boolean areTextsTyped() {
        return driver.getStringVarcharFlag();
    }

    /** Returns the driver's connection, which outlives the one of a pool. */
    public Connection driver() {
        return driver;
    }

    /** Whether the transaction is open at the server. If not, the driver begins it with the next statement. */
    public boolean hasBegun() {
        return driver.getTransactionState() != TransactionState.IDLE;
    }

    public boolean isOpen() {
        return driver.getTransactionState() == TransactionState.OPEN;
    }

    public boolean isAborted() {
        return driver.getTransactionState() == TransactionState.FAILED;
    }

    /** Whether the server has reported, at login or since, that it is a hot standby. */
    public boolean isHotStandby() {
        return "on".equals(reported("in_hot_standby"));
    }

    /**
     * Returns why every transaction of this session is read-only: a failover has changed the server's role, or it is
     * under maintenance. Returns null if none is, or if the application itself has set the connection to read-only.
     */
    @Nullable
    public String readOnlyBy() {
        try {
            if (driver.isReadOnly()) {
                return null;
            }
        } catch (SQLException e) {
            return null; // The connection is closed, and the server's settings do not explain that.
        }
        if (isHotStandby()) {
            return "the server is a hot standby, whose locks exclude no transaction on the primary";
        }
        return "on".equals(reported("default_transaction_read_only"))
                ? "this session's transactions are read-only (default_transaction_read_only is on)"
                : null;
    }

    /** Returns a setting that the server reports by itself, or null if it does not report it. */
    @Nullable
    public String reported(String setting) {
        return driver.getParameterStatus(setting);
    }

    /** Returns the current values of all settings that the server reports by itself. */
    public Map<String, String> reported() {
        return driver.getParameterStatuses();
    }

    /** Returns the URL that the driver connected to, which distinguishes databases in the catalog cache. */
    public final String url() throws SQLException {
        return String.valueOf(driver.getMetaData().getURL());
    }

    /** Returns the host, database and role of the connection. They are known for a closed connection too. */
    public Object place() {
        QueryExecutor executor = driver.getQueryExecutor();
        return List.of(executor.getHostSpec(), executor.getDatabase(), executor.getUser());
    }

    /**
     * Returns the server's warning that a commit did not wait for its standby, or null. It is recognized by the place
     * in the server that raised it. Its SQLSTATE is that of any warning, and its text is in the server's language.
     */
    @Nullable
    public SQLWarning takeReplicationWarning() throws SQLException {
        SQLWarning found = replicationWarning(driver.getWarnings());
        if (found != null) {
            driver.clearWarnings();
        }
        return found;
    }

    /** Finds the same warning among those of a statement that commits. */
    @Nullable
    public static SQLWarning replicationWarning(@Nullable SQLWarning first) {
        for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
            if (warning instanceof PSQLWarning notice
                    && "SyncRepWaitForLSN".equals(notice.getServerErrorMessage().getRoutine())) {
                return warning;
            }
        }
        return null;
    }

    /** Adds the warnings of a statement to those of the connection. */
    public void addWarnings(@Nullable SQLWarning first) throws SQLException {
        if (first != null) {
            driver.unwrap(PgConnection.class).addWarning(first);
        }
    }

    /** Returns how the driver parses a text with the settings of this session. Runs no SQL. */
    public WriteForm formOf(String sql) throws SQLException {
        Query query = driver.createQuery(sql, true, true).query;
        Query[] several = query.getSubqueries();
        SqlCommand command = query.getSqlCommand();
        String keyword = WriteForm.keyword(sql);
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

    /** Restores the driver's former setting. */
    public interface Autosave extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Prevents the driver from setting savepoints of its own until the result is closed. They would be between the
     * statements of a script.
     */
    public Autosave withoutAutosave() {
        AutoSave before = driver.getAutosave();
        driver.setAutosave(AutoSave.NEVER);
        return () -> driver.setAutosave(before);
    }

    /** Returns after how many executions the driver prepares a statement on the server; 0 for never. */
    public int prepareThreshold() {
        return driver.getPrepareThreshold();
    }

    /** Whether each statement is a message of its own. A pooler in transaction mode treats those differently. */
    public boolean isSimpleQueryMode() {
        return driver.getPreferQueryMode() == PreferQueryMode.SIMPLE;
    }

    /** Whether the driver sends a lock in front and its statement in one flush, with nothing between them. */
    public boolean carriesFronts() {
        PreferQueryMode queries = driver.getPreferQueryMode();
        return (queries == PreferQueryMode.EXTENDED || queries == PreferQueryMode.EXTENDED_CACHE_EVERYTHING)
                && prepareThreshold() >= 0
                && driver.getAutosave() == AutoSave.NEVER;
    }

    /** Whether the driver sends each statement as a transaction in one flush, and sets no savepoints of its own. */
    public boolean isPlainAutocommit() throws SQLException {
        return driver.getAutoCommit()
                && !driver.isReadOnly()
                && driver.getAutosave() == AutoSave.NEVER
                && !isSimpleQueryMode();
    }

    /** Sets the threshold for statements that are created from now on. */
    public void setPrepareThreshold(int executions) {
        driver.setPrepareThreshold(executions);
    }

    /**
     * Bounds each wait for an answer of the server, unless a shorter bound is set. It is set on the driver's
     * connection, because a pool would restore it later, on a thread of its own.
     *
     * @return the former bound, for {@link #restoreSocketBound}
     */
    public int boundSocket(int millis) throws SQLException {
        int before = driver.getNetworkTimeout();
        if (before == 0 || before > millis) {
            driver.setNetworkTimeout(Runnable::run, millis);
        }
        return before;
    }

    public void restoreSocketBound(int millis) throws SQLException {
        if (!driver.isClosed()) {
            driver.setNetworkTimeout(Runnable::run, millis);
        }
    }

    /**
     * Returns the server process with which this session began, for messages. Behind a pooler there is none, or it is a
     * different one.
     */
    public int serverProcess() {
        return driver.getBackendPID();
    }

    /** Sends the server, on another connection, a request to cancel the work of this session, which may be lost. */
    void cancel() throws SQLException {
        driver.getQueryExecutor().sendQueryCancel();
    }

    /** Whether the session is still usable. The pool may have closed its connection nevertheless. */
    public boolean isAlive() throws SQLException {
        return !driver.isClosed();
    }

    /**
     * Ends a session that could not be cleaned up, and with it everything that it holds.
     *
     * @param cause receives an error of ending it as suppressed
     */
    public void kill(Throwable cause) {
        try {
            driver.abort(Runnable::run);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    public String user() throws SQLException {
        return String.valueOf(driver.getMetaData().getUserName());
    }
}
