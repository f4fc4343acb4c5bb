package org.rowlock.internal.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Semaphore;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.text.SqlState;

/**
 * The connection of an application whose statements Rowlock hands on, and the threads that use it. What no application
 * has asked for is sent while no other thread uses it: never behind the statement of another thread, where it would
 * wait, and its timeout would cancel that one.
 */
public final class DriverAccess {
    private static final String CANCELED = "canceling statement due to user request";

    /** All permits but that of the thread itself. */
    private static final int OTHERS = Integer.MAX_VALUE - 1;

    private final Connection connection;

    /** The session of the transaction: a driver in front of PostgreSQL's may connect anew when a server has gone. */
    private PgSession session;

    /** One permit for each thread that uses the driver's connection. */
    private final Semaphore use = new Semaphore(Integer.MAX_VALUE);

    private volatile boolean closed;

    public interface Question<T> {
        T ask(Connection connection) throws SQLException;
    }

    /** @param connection the driver's or the pool's */
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

    /** The driver's connection. */
    public Connection driver() {
        return session.driver();
    }

    /** Whether nobody is between us and the driver. */
    public boolean isDirect() {
        return driver().equals(connection);
    }

    /** Looks for the driver's connection again, where a transaction may begin. */
    public void find() throws SQLException {
        session = PgSession.of(connection);
    }

    /** Whether no transaction has begun. */
    public boolean isIdle() {
        return !session.hasBegun();
    }

    /** Whether a statement of the session is a transaction in one flush, of which the driver keeps nothing. */
    public boolean isPlainAutocommit() throws SQLException {
        return session.isAlive() && session.isPlainAutocommit() && isIdle();
    }

    public void begin() {
        use.acquireUninterruptibly();
    }

    public void end() {
        use.release();
    }

    /** Does something while no other thread uses the connection; by a thread that has a permit. False if one does. */
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
     * Asks the server without beginning the transaction of the application, if it has not begun; by a thread that has a
     * permit.
     *
     * @throws SQLException if it fails, another thread uses the connection, or it is closed
     */
    public <T> T ask(Question<T> question) throws SQLException {
        if (!use.tryAcquire(OTHERS)) {
            throw new SQLException("Another thread uses the connection");
        }
        try {
            Connection driver = driver();
            boolean begins = !driver.getAutoCommit() && isIdle();
            // To switch autocommit on and off of a read-only connection may make the session one that writes.
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

    /** The same: the first column of the first row, empty if there is none. */
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
     * The error of a statement that was cancelled, which the server raises, so that the transaction is as aborted as it
     * would be.
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
            // Without PL/pgSQL the transaction is aborted all the same.
            own.initCause(e);
        }
        return own;
    }

    /** Has the transaction fail, begun or not, as a statement that fails leaves it. */
    public void abort(Throwable cause) {
        if (!session.isAborted()) {
            session.abort(cause);
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** Nothing is asked any more. */
    public void close() {
        closed = true;
    }

    /**
     * Waits for what another thread asks of its own accord, as from here on the next borrower of the pool may use the
     * driver's connection. Without a pool the connection ends, and with it the question.
     */
    public void awaitQuestions() {
        if (!isDirect()) {
            begin();
            end();
        }
    }
}
