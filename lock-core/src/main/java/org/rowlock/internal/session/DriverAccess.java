package org.rowlock.internal.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Semaphore;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.text.SqlState;

/**
 * The connection of an application whose statements Rowlock forwards, and the threads that use it. A statement that the
 * application did not request is sent only while no other thread uses the connection. Behind another thread's statement
 * it would have to wait, and its timeout would cancel that statement.
 */
public final class DriverAccess {
    private static final String CANCELED = "canceling statement due to user request";

    /** All permits except that of the thread itself. */
    private static final int OTHERS = Integer.MAX_VALUE - 1;

    private final Connection connection;

    /**
     * The session of the transaction. It can change, because a driver in front of PostgreSQL's may reconnect when a
     * server has gone.
     */
    private PgSession session;

    /** The permits: one for each thread that uses the driver's connection. */
    private final Semaphore use = new Semaphore(Integer.MAX_VALUE);

    private volatile boolean closed;

    public interface Question<T> {
        T ask(Connection connection) throws SQLException;
    }

    /** @param connection a connection of the driver or of a pool */
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

    /** Returns the driver's connection. */
    public Connection driver() {
        return session.driver();
    }

    /** Whether the connection is the driver's own, without a wrapper. */
    public boolean isDirect() {
        return driver().equals(connection);
    }

    /** Looks up the driver's connection again, where a transaction may begin. */
    public void find() throws SQLException {
        session = PgSession.of(connection);
    }

    /** Whether no transaction has begun. */
    public boolean isIdle() {
        return !session.hasBegun();
    }

    /** Whether a statement of the session is a transaction in one flush that leaves no state in the driver. */
    public boolean isPlainAutocommit() throws SQLException {
        return session.isAlive() && session.isPlainAutocommit() && isIdle();
    }

    public void begin() {
        use.acquireUninterruptibly();
    }

    public void end() {
        use.release();
    }

    /**
     * Runs a task while no other thread uses the connection. The calling thread must have a permit. Returns false if
     * another thread uses it.
     */
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
     * Queries the server without beginning the application's transaction, if it has not begun. The calling thread must
     * have a permit.
     *
     * @throws SQLException if the query fails, another thread uses the connection, or it is closed
     */
    public <T> T ask(Question<T> question) throws SQLException {
        if (!use.tryAcquire(OTHERS)) {
            throw new SQLException("Another thread uses the connection");
        }
        try {
            Connection driver = driver();
            boolean begins = !driver.getAutoCommit() && isIdle();
            // Switching autocommit on and off may turn the session of a read-only connection into one that writes.
            if (closed || (begins && driver.isReadOnly())) {
                throw new SQLException("The connection is " + (closed ? "closed" : "read-only"));
            }
            if (!begins) {
                return question.ask(driver);
            }
            driver.setAutoCommit(true);
            try {
                return question.ask(driver);
            } finally {
                driver.setAutoCommit(false);
            }
        } finally {
            use.release(OTHERS);
        }
    }

    /** Runs a query, and returns the first column of the first row, or an empty text if there is no row. */
    public String ask(String sql, String... parameters) throws SQLException {
        return ask(asked -> {
            try (PreparedStatement statement = asked.prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setString(i + 1, parameters[i]);
                }
                statement.execute();
                String first = Part.first(statement);
                return first == null ? "" : first;
            }
        });
    }

    /**
     * Returns the error of a cancelled statement. The server raises it, so that the transaction is aborted as by a real
     * cancel.
     */
    public SQLException canceled() {
        SQLException own = new SQLException("ERROR: " + CANCELED, SqlState.QUERY_CANCELED);
        try (Statement statement = connection.createStatement()) {
            statement.execute("do 'begin raise exception using errcode = ''" + SqlState.QUERY_CANCELED
                    + "'', message = ''" + CANCELED + "''; end'");
        } catch (SQLException e) {
            if (SqlState.QUERY_CANCELED.equals(e.getSQLState()) || SqlState.isConnectionLost(e.getSQLState())) {
                return e;
            }
            // Without PL/pgSQL the failed statement aborts the transaction as well.
            own.initCause(e);
        }
        return own;
    }

    /** Aborts the transaction, whether it has begun or not, as a failed statement does. */
    public void abort(Throwable cause) {
        if (!session.isAborted()) {
            session.abort(cause);
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** Prevents further queries. */
    public void close() {
        closed = true;
    }

    /**
     * Waits for a query that another thread sends by itself, because the next borrower of the pool may use the driver's
     * connection afterwards. Without a pool the connection ends, and the query with it.
     */
    public void awaitQuestions() {
        if (!isDirect()) {
            begin();
            end();
        }
    }
}
