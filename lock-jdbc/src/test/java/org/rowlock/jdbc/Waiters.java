package org.rowlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/**
 * Callers with a connection each who wait in the JVM for row 1 of account, one behind the other in the order in which
 * they were added, until the row is released.
 */
final class Waiters implements AutoCloseable {
    static final String ADD =
            "update account set balance = balance + 1, log = log || ?, at = array_append(at, now())" + " where id = ?";

    private final TestDatabase database;
    private final GatedDatabase gated;
    private final Session holder;
    private final CountDownLatch released = new CountDownLatch(1);
    private final boolean heldAgain;
    private final Waiter<Integer> front;
    private final List<Waiter<?>> all = new ArrayList<>();

    /** What a caller does, with its connection in autocommit. */
    interface Body<T> {
        T run(Connection connection) throws Exception;
    }

    /** One of them. */
    static final class Waiter<T> {
        final Connection connection;
        final Thread thread;
        private final FutureTask<T> task;

        Waiter(Connection connection, Body<T> body) {
            this.connection = connection;
            this.task = new FutureTask<>(() -> body.run(connection));
            this.thread = new Thread(task);
            this.thread.setDaemon(true);
            this.thread.start();
        }

        boolean isDone() {
            return task.isDone();
        }

        T get() throws Exception {
            try {
                return TestDatabase.result(task);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }

        /** The SQLSTATE of what it threw. */
        String state() throws Exception {
            return ((SQLException) failure()).getSQLState();
        }

        /** What it threw. */
        Throwable failure() throws Exception {
            try {
                throw new AssertionError("It returned " + get());
            } catch (SQLException e) {
                return e;
            }
        }
    }

    Waiters(TestDatabase database, GatedDatabase gated) throws Exception {
        this(database, gated, false);
    }

    /** @param heldAgain whether the row is held again when it is released, so that the next wait for it at the server */
    Waiters(TestDatabase database, GatedDatabase gated, boolean heldAgain) throws Exception {
        this.heldAgain = heldAgain;
        this.database = database;
        this.gated = gated;
        holder = database.session("holder");
        holder.execute("select from account where id = 1 for update");
        front = new Waiter<>(gated.dataSource.getConnection(), connection -> {
            connection.setAutoCommit(!heldAgain);
            int count = update(connection, "update account set balance = balance where id = ?", 1);
            if (heldAgain) {
                released.await();
                connection.commit();
            }
            return count;
        });
        all.add(front);
        awaitAtServer(1);
    }

    static int add(Connection connection, String tag) throws SQLException {
        return update(connection, ADD, tag, 1);
    }

    static int update(Connection connection, String sql, Object... binds) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < binds.length; i++) {
                statement.setObject(i + 1, binds[i]);
            }
            return statement.executeUpdate();
        }
    }

    <T> Waiter<T> add(Body<T> body) throws Exception {
        return add(gated.dataSource.getConnection(), body);
    }

    <T> Waiter<T> add(Connection connection, Body<T> body) throws Exception {
        int before = gated.gate.queued();
        Waiter<T> waiter = new Waiter<>(connection, body);
        all.add(waiter);
        TestDatabase.await().until(() -> gated.gate.queued() > before || waiter.isDone());
        return waiter;
    }

    /** Lets go of the row; if it is held again, until the next wait at the server. */
    void release() throws Exception {
        holder.commit();
        if (heldAgain) {
            TestDatabase.await().until(() -> gated.gate.queued() == 0);
            awaitAtServer(1);
        } else {
            front.get();
        }
    }

    /** The same of what is held again. */
    void releaseAgain() throws Exception {
        released.countDown();
        front.get();
    }

    /** The server process that waits for the row. */
    String waiting() throws SQLException {
        return database.query("select min(pid) from pg_stat_activity where wait_event_type = 'Lock'"
                + " and application_name = '" + database.schema() + "'");
    }

    void awaitAtServer(int sessions) {
        TestDatabase.await().until(() -> database.waiting() == sessions);
    }

    @Override
    public void close() throws SQLException {
        try {
            holder.rollback();
            released.countDown();
            for (Waiter<?> each : all) {
                each.thread.join(TestDatabase.DEADLINE.toMillis());
                each.connection.close();
            }
        } catch (SQLException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
