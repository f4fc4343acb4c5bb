package org.rowlock.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * A named session of a test that controls the order of concurrent steps. A session has a connection in a transaction,
 * and a thread that runs the session's steps in order.
 *
 * <pre>{@code
 * alice.run(c -> locks.in(c).lock(key));                  // returns when the lock is held
 * Step<?> bobs = bob.start(c -> locks.in(c).lock(key));   // returns at once
 * bobs.awaitBlockedBy(alice);                             // waits until pg_blocking_pids() shows alice
 * alice.commit();
 * bobs.get();
 * }</pre>
 */
public final class Session implements AutoCloseable {
    private final String name;
    private final TestPostgres server;
    private final Connection connection;
    private final int pid;
    private final ExecutorService thread;
    private Step<?> last;
    private boolean prepares;

    Session(String name, TestPostgres server, DataSource dataSource) throws SQLException {
        this.name = name;
        this.server = server;
        this.connection = dataSource.getConnection();
        this.connection.setAutoCommit(false);
        this.pid = connection.unwrap(PGConnection.class).getBackendPID();
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread worker = new Thread(task, "session-" + name);
            worker.setDaemon(true);
            return worker;
        });
    }

    @FunctionalInterface
    public interface Body<T> {
        T run(Connection connection) throws Exception;
    }

    public <T> Step<T> start(Body<T> body) {
        Step<T> step = new Step<>(this, thread.submit(() -> body.run(connection)));
        last = step;
        return step;
    }

    /** The work of a step without a result. */
    @FunctionalInterface
    public interface Action {
        void run(Connection connection) throws Exception;
    }

    /** Starts a step without a result, and returns at once. */
    public Step<Void> startAction(Action action) {
        return start(connection -> {
            action.run(connection);
            return null;
        });
    }

    public <T> T run(Body<T> body) throws Exception {
        return start(body).get();
    }

    /** Runs work without a result. */
    public void act(Action action) throws Exception {
        startAction(action).get();
    }

    /** Makes the session prepare each text before it executes the text, and returns this session. */
    public Session prepared() {
        prepares = true;
        return this;
    }

    private boolean execute(Connection own, String sql) throws SQLException {
        if (prepares) {
            try (PreparedStatement statement = own.prepareStatement(sql)) {
                return statement.execute();
            }
        }
        try (Statement statement = own.createStatement()) {
            return statement.execute(sql);
        }
    }

    public void execute(String sql) throws Exception {
        run(own -> execute(own, sql));
    }

    public Step<Boolean> startExecute(String sql) {
        return start(own -> execute(own, sql));
    }

    public void commit() throws Exception {
        act(Connection::commit);
    }

    public void rollback() throws Exception {
        act(Connection::rollback);
    }

    public Connection connection() {
        return connection;
    }

    public int pid() {
        return pid;
    }

    /** The number of transaction-level and session-level advisory locks that this session holds or waits for. */
    public int advisoryLocks() throws SQLException {
        try (Statement statement = server.administrator().createStatement();
                ResultSet row = statement.executeQuery(
                        "select count(*) from pg_locks where locktype = 'advisory' and pid = " + pid)) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Terminates this session from the administrator's connection, and waits until the server process is gone. */
    public void terminate() throws SQLException {
        administer("select pg_terminate_backend(" + pid + ")");
        TestDatabase.await(name + " is gone")
                .until(() -> !administer("select 1 from pg_stat_activity where pid = " + pid));
    }

    public void cancel() throws SQLException {
        administer("select pg_cancel_backend(" + pid + ")");
    }

    boolean administer(String sql) throws SQLException {
        try (Statement statement = server.administrator().createStatement()) {
            return statement.executeQuery(sql).next();
        }
    }

    /**
     * Rolls back the transaction after the test. If a step still runs, nothing happens, and the check after the test
     * reports the step.
     */
    void rollbackIfIdle() {
        if (last == null || last.isDone()) {
            try {
                if (!connection.isClosed() && !connection.getAutoCommit()) {
                    connection.rollback();
                }
            } catch (SQLException e) {
                // The server has already ended this session.
            }
        }
    }

    @Override
    public void close() throws SQLException {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(1, TimeUnit.SECONDS)) {
                connection.abort(Runnable::run);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connection.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
