package org.rowlock.internal.session;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGStatement;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutor;
import org.postgresql.core.SqlCommand;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.jdbc.PreferQueryMode;
import org.postgresql.util.PSQLWarning;
import org.postgresql.xa.PGXAConnection;
import org.rowlock.LockTransactionException;
import org.rowlock.LockTransactionException.Reason;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.text.SqlState;

/**
 * The caller's connection and what the driver knows of it without a round trip. Statements go through the connection
 * as the caller gave it, so that pools and proxies see them.
 */
public final class PgSession {
    /** An expression: the schemas in which a name without one is looked for. */
    static final String SCHEMAS = "pg_catalog.array_to_string(pg_catalog.current_schemas(true), ',')";

    private final Connection connection;
    private final BaseConnection driver;
    private @Nullable String url;

    private PgSession(Connection connection, BaseConnection driver) {
        this.connection = connection;
        this.driver = driver;
    }

    /** Checks, before any SQL, that a lock of this connection's transaction can mean anything. */
    public static PgSession inTransaction(Connection connection) throws SQLException {
        if (connection.isClosed()) {
            throw refused(
                    Reason.CLOSED,
                    "the connection is closed; take the lock on the open connection of a transaction",
                    null);
        }
        if (connection.getAutoCommit()) {
            throw refused(
                    Reason.AUTOCOMMIT,
                    "the connection is in autocommit, so the lock would be gone at once; call setAutoCommit(false) or"
                            + " begin a transaction first",
                    null);
        }
        PgSession session = new PgSession(connection, unwrap(connection));
        if (session.driver.getTransactionState() == TransactionState.FAILED) {
            throw refused(
                    Reason.ABORTED,
                    "an earlier statement of the transaction failed, and PostgreSQL ignores all others until it ends;"
                            + " roll back first",
                    SqlState.IN_FAILED_SQL_TRANSACTION);
        }
        if (session.prepareThreshold() < 0) {
            throw refused(
                    Reason.DRIVER_SETTINGS,
                    "the driver is set to prepareThreshold=" + session.prepareThreshold()
                            + ", with which it cannot send"
                            + " the lock and what follows it at once; set it to 0 or more in the JDBC URL or the"
                            + " DataSource (the default is 5)",
                    null);
        }
        return session;
    }

    /** What the driver knows of a connection, in whatever state it is. */
    public static PgSession of(Connection connection) throws SQLException {
        return new PgSession(connection, unwrap(connection));
    }

    static BaseConnection unwrap(Connection connection) throws SQLException {
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
                    Reason.NOT_POSTGRESQL,
                    "No lock was taken: the PostgreSQL JDBC driver on the class path, " + driver.getMajorVersion() + '.'
                            + driver.getMinorVersion() + ", lacks what Rowlock needs of it (" + e.getMessage()
                            + "); use org.postgresql:postgresql 42.7",
                    null,
                    e);
        }
        throw refused(
                Reason.NOT_POSTGRESQL,
                "the connection (" + connection.getClass().getName() + ") is not one of the PostgreSQL JDBC driver and"
                        + " does not unwrap to one; use org.postgresql:postgresql, directly or in a pool that supports"
                        + " unwrap()",
                null);
    }

    /**
     * Whether it is the driver's own handle of an XA connection: in a branch its commit() is refused, and what goes around that
     * would commit a part of the whole.
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

    /** Whether the server has the transaction open. If not, the driver begins it with the next statement. */
    public boolean hasBegun() {
        return driver.getTransactionState() != TransactionState.IDLE;
    }

    public boolean isAborted() {
        return driver.getTransactionState() == TransactionState.FAILED;
    }

    /**
     * Refuses to go on where code of the caller's, such as a mapper or a listener, has ended the transaction.
     *
     * @param what is to be refused, in the words of a message
     */
    public void refuseIfOver(String what) throws SQLException {
        if (connection.isClosed() || connection.getAutoCommit() || !hasBegun()) {
            throw new LockTransactionException(
                    Reason.ENDED,
                    what
                            + ": code that runs in the transaction (the work, a row mapper, a listener) has ended it, by commit,"
                            + " rollback, close or setAutoCommit, and its locks with it. Leave the end of the transaction to"
                            + " the code around it.",
                    null,
                    null);
        }
    }

    /**
     * Aborts the transaction, so that nothing of it can be committed.
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

    /** Whether the server said at login, or since, that it is a hot standby. */
    public boolean isHotStandby() {
        return "on".equals(reported("in_hot_standby"));
    }

    /** A setting that the server reports by itself, or null where it does not. */
    @Nullable
    public String reported(String setting) {
        return driver.getParameterStatus(setting);
    }

    /** In which a name without one is looked for, asked of the server: a round trip. */
    String schemas() throws SQLException {
        return ask(SCHEMAS);
    }

    /** The value of an expression: a round trip. */
    public String ask(String expression) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select " + expression)) {
            row.next();
            return row.getString(1);
        }
    }

    /** What tells databases apart for the catalog cache: the URL that the driver connected to. */
    public String url() throws SQLException {
        String known = url;
        if (known == null) {
            String own = driver.getMetaData().getURL();
            known = own == null ? "" : own;
            url = known;
        }
        return known;
    }

    /** Of the URL what says where: a pool adds parameters of its own. */
    public String database() throws SQLException {
        return url().split("\\?", 2)[0];
    }

    /** The host, database and role that the driver is connected to; known of a closed connection too. */
    Object place() {
        QueryExecutor executor = driver.getQueryExecutor();
        return List.of(executor.getHostSpec(), executor.getDatabase(), executor.getUser());
    }

    public boolean isClosed() throws SQLException {
        return connection.isClosed();
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

    /** Gives the warnings of a statement to the connection, but for the one about the standby. */
    public void addWarnings(@Nullable SQLWarning first) throws SQLException {
        SQLWarning standby = replicationWarning(first);
        for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
            if (!warning.equals(standby) && warning instanceof PSQLWarning notice) {
                // Without those behind it.
                driver.unwrap(PgConnection.class).addWarning(new PSQLWarning(notice.getServerErrorMessage()));
            }
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
                keyword,
                changes,
                command != null && command.isReturningKeywordPresent(),
                query.createParameterList().getParameterCount(),
                several == null ? keyword.isEmpty() ? 0 : 1 : several.length);
    }

    /**
     * Keeps the driver from setting savepoints of its own until {@link #setAutosave}: they would stand between the
     * statements of a script, and do not survive a handover.
     *
     * @return the setting until now
     */
    public AutoSave withoutAutosave() {
        AutoSave autosave = driver.getAutosave();
        if (autosave != AutoSave.NEVER) {
            driver.setAutosave(AutoSave.NEVER);
        }
        return autosave;
    }

    public void setAutosave(AutoSave autosave) {
        if (autosave != AutoSave.NEVER) {
            driver.setAutosave(autosave);
        }
    }

    /** After how many executions the driver prepares a statement on the server; 0 for never. */
    public int prepareThreshold() {
        return driver.getPrepareThreshold();
    }

    /** Whether each statement is a message of its own, which a pooler in transaction mode tells apart. */
    public boolean isSimpleQueryMode() {
        return driver.getPreferQueryMode() == PreferQueryMode.SIMPLE;
    }

    /** Whether the server process that this session was begun with has this number: not behind a pooler that shares them. */
    public boolean isServerProcess(int pid) {
        return driver.getBackendPID() == pid;
    }

    /** Of the statements that are made from now on. */
    public void setPrepareThreshold(int executions) {
        driver.setPrepareThreshold(executions);
    }

    /**
     * Bounds each wait for an answer of the server, if it is not bounded more closely already. On the driver's connection,
     * as a pool would count it among what it has to set back, with a thread of its own.
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

    /** Ends the session, and with it all that it holds, where it could not be cleaned up. */
    public void kill() throws SQLException {
        driver.abort(Runnable::run);
    }

    /**
     * Prepares a script. All rows come at once, whatever fetch size the driver is set to: a suspended statement would run
     * on, and lock on, behind the statements that follow it.
     */
    public PreparedStatement prepare(String sql) throws SQLException {
        return prepare(sql, false);
    }

    private PreparedStatement prepare(String sql, boolean readTwice) throws SQLException {
        PreparedStatement statement = readTwice
                ? connection.prepareStatement(sql, ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)
                : connection.prepareStatement(sql);
        try {
            statement.setFetchSize(0);
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
        return statement;
    }

    /**
     * Prepares a script that is to take one round trip.
     *
     * @param untyped whether a bind has no type of its own, as null and java.sql.Timestamp have none. For such a statement
     *     the driver asks the server what it will return, and from then on waits for the results in front of it before
     *     it sends it; unless the server is not to keep it
     */
    public PreparedStatement prepareScript(String sql, boolean untyped) throws SQLException {
        return prepareScript(sql, untyped, false);
    }

    /**
     * The same, with results that can be read more than once.
     *
     * @param readTwice whether they have to
     */
    public PreparedStatement prepareScript(String sql, boolean untyped, boolean readTwice) throws SQLException {
        PreparedStatement statement = prepare(sql, readTwice);
        // With stringtype=unspecified our own texts have no type either.
        if (untyped || !driver.getStringVarcharFlag()) {
            try {
                if (statement.isWrapperFor(PGStatement.class)) {
                    statement.unwrap(PGStatement.class).setPrepareThreshold(0);
                }
            } catch (SQLException e) {
                statement.close();
                throw e;
            }
        }
        return statement;
    }

    /** The role that logged in. */
    public String user() throws SQLException {
        String user = driver.getMetaData().getUserName();
        return user == null ? "" : user;
    }

    /** A question to the server. */
    interface Look<T> {
        T look() throws SQLException;
    }

    /** Asks. If that begins the transaction it is ended, so that the question takes no snapshot for the caller. */
    <T> T outsideTransaction(Look<T> look) throws SQLException {
        if (hasBegun() || connection.getAutoCommit()) {
            return look.look();
        }
        T seen;
        try {
            seen = look.look();
        } catch (SQLException | RuntimeException e) {
            try {
                execute("rollback");
            } catch (SQLException notRolledBack) {
                e.addSuppressed(notRolledBack);
            }
            throw e;
        }
        execute("rollback");
        return seen;
    }

    /** Runs statements without parameters and results. */
    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static LockTransactionException refused(Reason reason, String why, @Nullable String sqlState) {
        return new LockTransactionException(reason, "No lock was taken: " + why, sqlState, null);
    }
}
