package org.rowlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.RowLocksBuilder.LockFront;
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
 * {@code FOR NO KEY UPDATE}, {@code UPDATE} and {@code DELETE}. If no thread of this JVM acquires the row within a
 * second, more threads go to the server. If timeouts apply to the statement, its wait in the JVM ends after a tenth of
 * the shortest timeout. The wait ends earlier on {@code cancel}, {@code close} or {@code abort}, and when the thread is
 * interrupted. Connections to other databases are returned unwrapped.
 *
 * <p>Thread-safe. This DataSource can wrap an unchanged pool, or a pool can wrap this DataSource.
 */
public final class RowlockDataSource extends ForwardingDataSource implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final DataSource delegate;
    private final DropIn dropIn;

    RowlockDataSource(DataSource delegate, DropIn dropIn) {
        super(delegate);
        this.delegate = delegate;
        this.dropIn = dropIn;
    }

    /**
     * Wraps a DataSource, with the settings of the system properties {@code rowlock.jdbc.*}; see {@link Builder}.
     *
     * @param dataSource a DataSource of PostgreSQL's driver, or a pool
     * @return the DataSource to use instead
     */
    public static RowlockDataSource wrap(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * Returns a builder that wraps a DataSource.
     *
     * @param dataSource a DataSource of PostgreSQL's driver, or a pool
     * @return a builder
     */
    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /**
     * Collects the settings of a {@link RowlockDataSource}. Not thread-safe.
     *
     * <p>A setting that is not given comes from a system property: {@code rowlock.jdbc.mode}, {@code
     * rowlock.jdbc.front}, {@code rowlock.jdbc.largestGroup}, {@code rowlock.jdbc.flushWithCommit}, {@code
     * rowlock.jdbc.include} or {@code rowlock.jdbc.exclude}. The values of {@code include} and {@code exclude} are
     * names of tables, separated by commas.
     */
    public static final class Builder {
        private final DataSource dataSource;
        private String name = "dataSource-" + NUMBER.incrementAndGet();
        private final Map<String, String> words = new HashMap<>();

        private Builder(DataSource dataSource) {
            this.dataSource = Arguments.notNull(dataSource, "The DataSource to wrap is null");
        }

        /**
         * Sets the name of the DataSource in JMX, logs and metrics.
         *
         * @param given a name; {@code dataSource-1} and so on by default
         * @return this builder
         */
        public Builder name(String given) {
            this.name = Arguments.notNull(given, "The name is null");
            return this;
        }

        /**
         * Sets how statements that lock a row are treated.
         *
         * @param given the mode; {@link DropInMode#QUEUE} by default
         * @return this builder
         */
        public Builder mode(DropInMode given) {
            return set("mode", Arguments.notNull(given, "The mode is null").name());
        }

        /**
         * Sets the tables to which the drop-in applies.
         *
         * @param tables their names as SQL writes them; a name without a schema means that table in every schema. All
         *     tables by default
         * @return this builder
         * @throws IllegalArgumentException if a name is malformed
         */
        public Builder include(String... tables) {
            return set("include", JdbcSettings.list(tables));
        }

        /**
         * Sets the tables to which the drop-in does not apply.
         *
         * @param tables their names as SQL writes them; a name without a schema means that table in every schema. None
         *     by default
         * @return this builder
         * @throws IllegalArgumentException if a name is malformed
         */
        public Builder exclude(String... tables) {
            return set("exclude", JdbcSettings.list(tables));
        }

        /**
         * Sets in which cases Rowlock acquires a front lock: an advisory lock that precedes the first row lock of a
         * transaction.
         *
         * @param given when to acquire the front lock; {@link LockFront#ADAPTIVE} by default
         * @return this builder
         */
        public Builder front(LockFront given) {
            return set("front", Arguments.notNull(given, "The front is null").name());
        }

        /**
         * Groups UPDATEs in autocommit, so that the UPDATEs of a group share a transaction. If several UPDATEs with the
         * same text wait for a row, the first caller sends all of them. Each caller gets its own update count. If a
         * group fails, it is rolled back, and each UPDATE runs in its own transaction, unless the timeouts of all
         * callers have expired. If the connection of a group is lost, each caller gets an SQLException with SQLSTATE
         * 08006, because Rowlock cannot know whether the group was committed.
         *
         * <p>Rowlock groups prepared UPDATEs of one row, on connections of PostgreSQL's own driver or
         * PGSimpleDataSource. The session must be unaltered, and the table must have no triggers, rules, policies,
         * partitions or deferred constraints. All other statements run in their own transactions. The members of a
         * group share one transaction id and one {@code now()}.
         *
         * @param given the largest number of members, up to 128, rounded down to a power of two; 1, the default, turns
         *     groups off
         * @return this builder
         */
        public Builder largestGroup(int given) {
            return set("largestGroup", Integer.toString(given));
        }

        /**
         * Allows frameworks to send the last writes of a transaction with its COMMIT, in one flush. See
         * {@link CommitFlush}.
         *
         * @param given whether the writes can be sent with the COMMIT; false by default
         * @return this builder
         */
        public Builder flushWithCommit(boolean given) {
            return set("flushWithCommit", Boolean.toString(given));
        }

        private Builder set(String key, String word) {
            words.put(key, word);
            return this;
        }

        /**
         * Builds the DataSource.
         *
         * @return the DataSource to use instead
         * @throws IllegalArgumentException if a system property is malformed, or the largest group is out of range
         */
        public RowlockDataSource build() {
            return new RowlockDataSource(dataSource, new DropIn(JdbcSettings.of(name, words)));
        }
    }

    /**
     * Returns the object that shows the figures, and shows and changes the settings at run time.
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

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("org.rowlock");
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
