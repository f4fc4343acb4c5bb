package org.rowlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.jdbc.internal.queue.DropIn;
import org.rowlock.jdbc.internal.settings.JdbcSettings;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** The wrapper with a gate of its own, which lets as few in as a test wants. */
final class GatedDatabase {
    static final long NEVER_OVER = Duration.ofHours(1).toNanos();

    final KeyQueues gate;
    final DropIn dropIn;
    final RowlockDataSource dataSource;

    /** Queues of one width. */
    static KeyQueues queues(int width, long longestNanos) {
        return FixedWidth.queues(width, longestNanos);
    }

    /** Queues that let many in, whose locks have one in front wherever that may be, to be waited for so long. */
    static KeyQueues fronts(Duration longest) {
        return fronts(100, NEVER_OVER, longest.toNanos());
    }

    static KeyQueues fronts(int width, long longestNanos, long longestFrontNanos) {
        QueuePolicy always = new FixedWidth(width, longestFrontNanos);
        return new KeyQueues(() -> always, longestNanos);
    }

    GatedDatabase(DataSource plain, DropInMode mode, KeyQueues gate) {
        this(plain, new JdbcSettings("test", mode, List.of(), List.of(), LockFront.ALWAYS, 1, false), gate);
    }

    GatedDatabase(DataSource plain, JdbcSettings settings, KeyQueues gate) {
        this.gate = gate;
        this.dropIn = new DropIn(settings, gate);
        this.dropIn.close();
        this.dataSource = new RowlockDataSource(plain, dropIn);
    }

    /** With one at the server at a time, who sends up to so many of those who wait. */
    static GatedDatabase inGroups(TestDatabase database, int largest) {
        return inGroups(database.dataSource(), largest);
    }

    static GatedDatabase inGroups(DataSource connections, int largest) {
        return new GatedDatabase(
                connections,
                new JdbcSettings("test", DropInMode.QUEUE, List.of(), List.of(), LockFront.NEVER, largest, false),
                queues(1, NEVER_OVER));
    }

    /** With one at the server at a time, and writes that may go with the COMMIT. */
    static GatedDatabase keeping(TestDatabase database, String... tables) throws SQLException {
        GatedDatabase gated = new GatedDatabase(
                database.dataSource(),
                new JdbcSettings("test", DropInMode.QUEUE, List.of(), List.of(), LockFront.NEVER, 1, true),
                queues(1, NEVER_OVER));
        gated.learn(tables);
        return gated;
    }

    /** With one at the server at a time, whose tables are still unknown. */
    static GatedDatabase oneAtATime(DataSource connections) {
        return new GatedDatabase(connections, DropInMode.QUEUE, queues(1, NEVER_OVER));
    }

    /** With one at the server at a time. */
    static GatedDatabase of(TestDatabase database, String... tables) throws SQLException {
        return of(database, DropInMode.QUEUE, false, tables);
    }

    static GatedDatabase of(TestDatabase database, DropInMode mode, boolean fronts, String... tables)
            throws SQLException {
        GatedDatabase gated = new GatedDatabase(
                database.dataSource(), mode, fronts ? fronts(1, NEVER_OVER, NEVER_OVER) : queues(1, NEVER_OVER));
        gated.learn(tables);
        return gated;
    }

    /** Lets the wrapper see tables, so that their keys are known. */
    void learn(String... tables) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(true);
            for (String table : tables) {
                statement.executeUpdate("delete from " + table + " where id = 0");
            }
        }
    }

    /** As one whose row is gone behind its lock in front. */
    void takeFrontAlone(Session session, String table, String id) throws Exception {
        String path = session.connection().unwrap(PGConnection.class).getParameterStatus("search_path");
        session.execute("select pg_advisory_xact_lock(" + FrontSql.key(path, table, List.of(id)) + ")");
    }

    void awaitQueued(int threads) {
        TestDatabase.await().until(() -> gate.queued() == threads);
    }

    /** How often something was done with the statements on a table. */
    long figure(String table, String name) {
        return dropIn.getFigures().getOrDefault(table, java.util.Map.of()).getOrDefault(name, 0L);
    }
}
