package org.rowlock.internal.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Semaphore;
import org.rowlock.internal.text.SqlState;

/**
 * A connection on which Rowlock forwards the statements of an application. Rowlock sends a query of its own only while
 * no other thread uses the connection. Otherwise the timeout of Rowlock's query could cancel the statement of the other
 * thread.
 */
public final class DriverAccess {
    private static final String CANCELED = "canceling statement due to user request";

    /** All permits except the permit of the calling thread. */
    private static final int OTHERS = Integer.MAX_VALUE - 1;

    private final Connection connection;

    /**
     * The session of the driver's connection. A driver that wraps PostgreSQL's driver may connect to another server,
     * and then has another session.
     */
    private PgSession session;

    /** The permits of threads that use the driver's connection. */
    private final Semaphore use = new Semaphore(Integer.MAX_VALUE);

    private volatile boolean closed;

    public interface Query<T> {
        T run(Connection connection) throws SQLException;
    }

    public DriverAccess(Connection connection) throws SQLException {
        this.connection = connection;
        this.session = PgSession.of(connection);
    }

    public Connection connection() {
        return connection;
    }

    public PgSession session() {
        return session;
    }

    public Connection driver() {
        return session.driver();
    }

    /** Whether the connection is the driver's own connection, without a wrapper. */
    public boolean isDirect() {
        return driver().equals(connection);
    }

    /** Determines the driver's connection before a transaction, because a wrapper may have reconnected. */
    public void refresh() throws SQLException {
        session = PgSession.of(connection);
    }

    public boolean isIdle() {
        return !session.hasBegun();
    }

    /** Whether each statement is a transaction of its own, which the driver sends in one flush. */
    public boolean isPlainAutocommit() throws SQLException {
        return session.isAlive() && session.isPlainAutocommit() && isIdle();
    }

    public void begin() {
        use.acquireUninterruptibly();
    }

    public void end() {
        use.release();
    }

    /** Waits until no thread uses the connection. The calling thread must have no permit. */
    public void awaitOthers() {
        use.acquireUninterruptibly(Integer.MAX_VALUE);
        use.release(Integer.MAX_VALUE);
    }

    /** Runs a task if no other thread uses the connection; otherwise returns false. The caller must have a permit. */
    public boolean alone(Runnable task) {
        if (!use.tryAcquire(OTHERS)) {
            return false;
        }
        try {
            task.run();
            return true;
        } finally {
            use.release(OTHERS);
        }
    }

    /**
     * Queries the server, without beginning the transaction of the application. The calling thread must have a permit.
     *
     * @throws SQLException if the query fails, if another thread uses the connection, if the connection is closed, or
     *     if a read-only connection must switch to autocommit
     */
    public <T> T query(Query<T> query) throws SQLException {
        if (!use.tryAcquire(OTHERS)) {
            throw new SQLException("Another thread uses the connection");
        }
        try {
            Connection driver = driver();
            boolean begins = !driver.getAutoCommit() && isIdle();
            // With a read-only connection, switching autocommit on and off may make the session read-write.
            if (closed || (begins && driver.isReadOnly())) {
                throw new SQLException("The connection is " + (closed ? "closed" : "read-only"));
            }
            if (!begins) {
                return query.run(driver);
            }
            driver.setAutoCommit(true);
            try {
                return query.run(driver);
            } finally {
                driver.setAutoCommit(false);
            }
        } finally {
            use.release(OTHERS);
        }
    }

    /** Returns the first column of the first row of a query; an empty text if there is no row. */
    public String query(String sql, String... parameters) throws SQLException {
        return query(driver -> PgSession.ask(driver.prepareStatement(sql), parameters));
    }

    /** Aborts the transaction, as a real cancel does, and returns the error of a cancelled statement. */
    public SQLException canceled() {
        SQLException own = new SQLException("ERROR: " + CANCELED, SqlState.QUERY_CANCELED);
        try (Statement statement = connection.createStatement()) {
            statement.execute("do 'begin raise exception using errcode = ''" + SqlState.QUERY_CANCELED
                    + "'', message = ''" + CANCELED + "''; end'");
        } catch (SQLException e) {
            if (SqlState.QUERY_CANCELED.equals(e.getSQLState()) || SqlState.isConnectionLost(e.getSQLState())) {
                return e;
            }
            // A server without PL/pgSQL raises a different error, which also aborts the transaction.
            own.initCause(e);
        }
        return own;
    }

    /** Makes the transaction fail. If the transaction has not begun, the failing statement begins it. */
    public void abort(Throwable cause) {
        if (!session.isAborted()) {
            session.abort(cause);
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** Prevents further queries of Rowlock. */
    public void close() {
        closed = true;
    }

    /**
     * Waits until no thread runs a query of Rowlock on a pooled connection. Otherwise the pool could lend the
     * connection again during such a query. A connection without a pool needs no wait, because closing the connection
     * also ends the query.
     */
    public void awaitQueries() {
        if (!isDirect()) {
            begin();
            end();
        }
    }
}
