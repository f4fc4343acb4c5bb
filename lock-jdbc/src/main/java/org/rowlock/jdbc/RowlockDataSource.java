package org.rowlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.internal.text.Arguments;
import org.rowlock.jdbc.internal.queue.DropIn;
import org.rowlock.jdbc.internal.settings.JdbcSettings;
import org.rowlock.jdbc.internal.wrap.RowlockConnection;

/**
 * A DataSource that wraps another DataSource: a DataSource of PostgreSQL's driver, or a pool. Every statement still
 * acquires its row locks at the server. If many transactions of this JVM lock the same row, a few wait at the server.
 * The others wait in the JVM in the order of arrival. Only the first row lock of a transaction may wait in the JVM.
 *
 * <p>Only statements that lock one row by the primary key of its table may wait: {@code SELECT ... FOR UPDATE} or
 * {@code FOR NO KEY UPDATE}, {@code UPDATE} and {@code DELETE}. A wait in the JVM ends after a tenth of the shortest
 * timeout, on {@code cancel}, {@code close} or {@code abort}, and when the thread is interrupted. Connections that do
 * not come from PostgreSQL's driver are returned unwrapped.
 *
 * <p>Thread-safe. This DataSource can wrap an unchanged pool, or a pool can wrap this DataSource. Do not wrap a lazy
 * proxy such as Spring's LazyConnectionDataSourceProxy: it would connect at once, and might choose another database.
 */
public final class RowlockDataSource extends ForwardingDataSource implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final DropIn dropIn;

    RowlockDataSource(DataSource delegate, DropIn dropIn) {
        super(delegate);
        this.dropIn = dropIn;
    }

    /**
     * Wraps a DataSource, with the settings of the system properties {@code rowlock.jdbc.*}.
     *
     * @param dataSource a DataSource of PostgreSQL's driver, or a pool
     * @return the DataSource to use instead
     * @throws IllegalArgumentException if a system property is malformed
     */
    public static RowlockDataSource wrap(DataSource dataSource) {
        return wrap(dataSource, "dataSource-" + NUMBER.incrementAndGet(), Map.of());
    }

    /**
     * Wraps a DataSource. The settings have the keys and values of {@link RowlockJdbcMXBean#getSettings}. A setting
     * that is not given comes from a system property, such as {@code rowlock.jdbc.mode}.
     *
     * <ul>
     *   <li>{@code mode}: a {@link DropInMode}; {@code queue} by default
     *   <li>{@code include}, {@code exclude}: the tables to which the drop-in applies, or does not apply, separated by
     *       commas. The names are written as in SQL. A name without a schema matches the tables of this name in all
     *       schemas. By default the drop-in applies to all tables
     *   <li>{@code front}: in which cases Rowlock acquires an advisory lock before the first row lock of a transaction;
     *       a {@link org.rowlock.RowLocksBuilder.LockFront}, {@code adaptive} by default
     *   <li>{@code largestGroup}: the largest number of UPDATEs that share a transaction, up to 128, rounded down to a
     *       power of two; 1, the default, turns groups off
     *   <li>{@code flushWithCommit}: {@code true} if frameworks may send the last writes of a transaction with its
     *       COMMIT; see {@link CommitFlush}; {@code false} by default
     * </ul>
     *
     * <p>Groups: if several UPDATEs in autocommit with the same text wait for a row, the first caller sends all of
     * them. Each caller gets its own update count. If a group fails, it is rolled back, and each UPDATE runs in its own
     * transaction, unless the timeouts of all callers have expired. If the connection of a group is lost, each caller
     * gets an SQLException with SQLSTATE 08006, because Rowlock cannot know whether the group was committed. The
     * members of a group share one transaction id and one {@code now()}. An UPDATE runs in its own transaction if
     * the application has altered the session, or if the table has triggers, for example.
     *
     * @param dataSource a DataSource of PostgreSQL's driver, or a pool
     * @param name the name of the DataSource in JMX, logs and metrics
     * @param settings the values by their keys
     * @return the DataSource to use instead
     * @throws IllegalArgumentException if there is no such setting or value, or if a system property is malformed
     */
    public static RowlockDataSource wrap(DataSource dataSource, String name, Map<String, String> settings) {
        Arguments.notNull(dataSource, "The DataSource to wrap is null");
        Arguments.notNull(name, "The name is null");
        Arguments.notNull(settings, "The map of settings is null");
        return new RowlockDataSource(dataSource, new DropIn(JdbcSettings.of(name, settings, "")));
    }

    /**
     * Returns the object with the figures and the settings. The settings can be changed at run time.
     *
     * @return the object that is also registered in JMX
     */
    public RowlockJdbcMXBean control() {
        return dropIn;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return RowlockConnection.wrap(delegate.getConnection(), dropIn, null, origin());
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return RowlockConnection.wrap(delegate.getConnection(username, password), dropIn, null, origin());
    }

    /**
     * Returns a constant for the driver's own DataSource, whose connections differ only in URL and user. Returns null
     * for any other DataSource, because its connections may differ in ways that Rowlock cannot detect.
     */
    private @Nullable Object origin() {
        return delegate.getClass().equals(PGSimpleDataSource.class) ? "" : null;
    }

    /** Deregisters this DataSource from JMX. The wrapped DataSource stays open, and open connections keep working. */
    @Override
    public void close() {
        dropIn.close();
    }

    @Override
    public String toString() {
        return "RowlockDataSource(" + delegate + ')';
    }
}
