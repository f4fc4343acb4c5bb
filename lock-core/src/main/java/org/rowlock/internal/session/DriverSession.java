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
 * What the driver knows of a connection, and how it is set, without a round trip. The one class that knows pgjdbc's
 * {@code BaseConnection}, which is no part of its API.
 */
abstract class DriverSession {
    private final BaseConnection driver;

    DriverSession(Connection connection) throws SQLException {
        this.driver = unwrap(connection);
        if (driver.haveMinimumServerVersion(ServerVersions.UNKNOWN)) {
            ServerVersions.warn(driver.getMetaData().getDatabaseProductVersion(), url());
        }
    }

    /** Whether there is one of PostgreSQL's driver behind a connection. */
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

    /** @param what is refused, in the words of a message */
    static LockTransactionException refused(String what, String why, String sqlState) {
        return new LockTransactionException(what + ": " + why, sqlState, null);
    }

    /** Whether the texts that are bound have a type, as they do not with stringtype=unspecified. */
    boolean areTextsTyped() {
        return driver.getStringVarcharFlag();
    }

    /** The driver's own, which outlives that of a pool. */
    public Connection driver() {
        return driver;
    }

    /** Whether the server has the transaction open. If not, the driver begins it with the next statement. */
    public boolean hasBegun() {
        return driver.getTransactionState() != TransactionState.IDLE;
    }

    public boolean isOpen() {
        return driver.getTransactionState() == TransactionState.OPEN;
    }

    public boolean isAborted() {
        return driver.getTransactionState() == TransactionState.FAILED;
    }

    /** Whether the server said at login, or since, that it is a hot standby. */
    public boolean isHotStandby() {
        return "on".equals(reported("in_hot_standby"));
    }

    /**
     * What makes every transaction of this session read-only: a role that a failover has changed, or maintenance. Null
     * if nothing does, or if the application itself has told the driver that the connection is read-only.
     */
    @Nullable
    public String readOnlyBy() {
        try {
            if (driver.isReadOnly()) {
                return null;
            }
        } catch (SQLException e) {
            return null; // It is closed, and no answer of the server is about that.
        }
        if (isHotStandby()) {
            return "the server is a hot standby, whose locks exclude nobody on the primary";
        }
        return "on".equals(reported("default_transaction_read_only"))
                ? "the server lets this session's transactions only read (default_transaction_read_only is on)"
                : null;
    }

    /** A setting that the server reports by itself, or null where it does not. */
    @Nullable
    public String reported(String setting) {
        return driver.getParameterStatus(setting);
    }

    /** All settings that the server reports by itself, as they are now. */
    public Map<String, String> reported() {
        return driver.getParameterStatuses();
    }

    /** What distinguishes databases for the catalog cache: the URL that the driver connected to. */
    public final String url() throws SQLException {
        return String.valueOf(driver.getMetaData().getURL());
    }

    /** The host, database and role that the driver is connected to; known of a closed connection too. */
    public Object place() {
        QueryExecutor executor = driver.getQueryExecutor();
        return List.of(executor.getHostSpec(), executor.getDatabase(), executor.getUser());
    }

    /**
     * The server's warning that a commit did not wait for its standby, or null. Known by the place in the server that
     * raised it, as its SQLSTATE is any warning's and its text is in the server's language.
     */
    @Nullable
    public SQLWarning takeReplicationWarning() throws SQLException {
        SQLWarning found = replicationWarning(driver.getWarnings());
        if (found != null) {
            driver.clearWarnings();
        }
        return found;
    }

    /** The same among the warnings of a statement that commits. */
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

    /** Gives the warnings of a statement to the connection. */
    public void addWarnings(@Nullable SQLWarning first) throws SQLException {
        if (first != null) {
            driver.unwrap(PgConnection.class).addWarning(first);
        }
    }

    /** What the driver makes of a text, as this session would read it. Runs no SQL. */
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

    /** Puts the setting back that the driver had before. */
    public interface Autosave extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Keeps the driver from setting savepoints of its own until the result is closed: they would stand between the
     * statements of a script.
     */
    public Autosave withoutAutosave() {
        AutoSave before = driver.getAutosave();
        driver.setAutosave(AutoSave.NEVER);
        return () -> driver.setAutosave(before);
    }

    /** After how many executions the driver prepares a statement on the server; 0 for never. */
    public int prepareThreshold() {
        return driver.getPrepareThreshold();
    }

    /** Whether each statement is a message of its own, which a pooler in transaction mode distinguishes. */
    public boolean isSimpleQueryMode() {
        return driver.getPreferQueryMode() == PreferQueryMode.SIMPLE;
    }

    /** Whether the driver sends a lock in front and its statement in one flush, and nothing between them. */
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

    /** Of the statements that are made from now on. */
    public void setPrepareThreshold(int executions) {
        driver.setPrepareThreshold(executions);
    }

    /**
     * Bounds each wait for an answer of the server, if it is not bounded more closely already. On the driver's
     * connection, as a pool would count it among what it has to set back, with a thread of its own.
     *
     * @return the bound until now, for {@link #restoreSocketBound}
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

    /** The server process that this session was begun with, for messages. Behind a pooler it is none, or another. */
    public int serverProcess() {
        return driver.getBackendPID();
    }

    /** Asks the server, on another connection, to cancel what it does for this session, which may be lost. */
    void cancel() throws SQLException {
        driver.getQueryExecutor().sendQueryCancel();
    }

    /** Whether the session goes on: the pool may have closed the connection all the same. */
    public boolean isAlive() throws SQLException {
        return !driver.isClosed();
    }

    /**
     * Ends the session, and with it all that it holds, where it could not be cleaned up.
     *
     * @param cause to which is added what keeps it from ending
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
