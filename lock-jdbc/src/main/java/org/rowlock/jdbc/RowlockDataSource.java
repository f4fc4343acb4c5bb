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
import org.rowlock.LockFront;
import org.rowlock.internal.text.Given;
import org.rowlock.jdbc.internal.queue.DropIn;
import org.rowlock.jdbc.internal.settings.JdbcSettings;
import org.rowlock.jdbc.internal.wrap.RowlockConnection;

/**
 * A DataSource in front of another, of PostgreSQL's driver or a pool of its connections. All statements and all row
 * locks stay as they are; where many transactions of this JVM want the same row, those whose first lock it is wait in
 * the JVM, first come, first served, before they go to the server.
 *
 * <p>A statement is looked at if it locks one row of one table by its primary key: {@code SELECT ... FOR UPDATE} or
 * {@code FOR NO KEY UPDATE}, {@code UPDATE} and {@code DELETE}. A wait in the JVM ends after a second or some more in
 * which nobody got the row, after a tenth of the statement's timeouts, and by {@code cancel}, {@code close},
 * {@code abort} and interrupts. Connections of other databases are given as they are.
 *
 * <p>Thread-safe. In front of a pool or behind it makes no difference; in front of it needs no change to the pool.
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
     * In front of a DataSource, as the system properties {@code rowlock.jdbc.*} have it; see {@link Builder}.
     *
     * @param dataSource of PostgreSQL's driver, or a pool
     * @return the DataSource to use instead
     */
    public static RowlockDataSource wrap(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * In front of a DataSource, to be set up.
     *
     * @param dataSource of PostgreSQL's driver, or a pool
     * @return a builder
     */
    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /**
     * What differs from the default. Not thread-safe.
     *
     * <p>Where nothing is said the system properties count: {@code rowlock.jdbc.mode}, {@code rowlock.jdbc.front},
     * {@code rowlock.jdbc.group}, {@code rowlock.jdbc.flush}, and
     * {@code rowlock.jdbc.include} and {@code rowlock.jdbc.exclude} with names of tables between commas.
     */
    public static final class Builder {
        private final DataSource dataSource;
        private String name = "dataSource-" + NUMBER.incrementAndGet();
        private final Map<String, String> words = new HashMap<>();

        private Builder(DataSource dataSource) {
            this.dataSource = Given.notNull(dataSource, "The DataSource to wrap is null");
        }

        /**
         * What it is called in JMX, logs and metrics.
         *
         * @param given a name; {@code dataSource-1} and so on by default
         * @return this builder
         */
        public Builder name(String given) {
            this.name = Given.notNull(given, "The name is null");
            return this;
        }

        /**
         * What is done about statements that lock a row.
         *
         * @param given the mode; {@link DropInMode#QUEUE} by default
         * @return this builder
         */
        public Builder mode(DropInMode given) {
            return set("mode", Given.notNull(given, "The mode is null").name());
        }

        /**
         * The tables to look at.
         *
         * @param tables their names as SQL writes them, one without a schema for that of any schema; all tables by
         *     default
         * @return this builder
         * @throws IllegalArgumentException if a name is malformed
         */
        public Builder include(String... tables) {
            return set("include", JdbcSettings.list(tables));
        }

        /**
         * The tables to leave out.
         *
         * @param tables their names as SQL writes them, one without a schema for that of any schema; none by default
         * @return this builder
         * @throws IllegalArgumentException if a name is malformed
         */
        public Builder exclude(String... tables) {
            return set("exclude", JdbcSettings.list(tables));
        }

        /**
         * Whether an advisory lock of the row goes in front of the first lock of a transaction.
         *
         * @param given whether; {@link LockFront#ADAPTIVE} by default
         * @return this builder
         */
        public Builder front(LockFront given) {
            return set("front", Given.notNull(given, "The front is null").name());
        }

        /**
         * Lets UPDATEs in autocommit share a transaction: of those who wait for a row with the same text, the first
         * sends them all, and each gets its own count. A group that fails is undone and its members go alone. The
         * outcome of a group whose connection is lost is unknown to all of it: an SQLException with SQLSTATE 08006.
         *
         * <p>Only prepared UPDATEs of one row, by connections of PostgreSQL's own driver or PGSimpleDataSource whose
         * sessions nobody has altered, and of tables without triggers, rules or policies; all else goes alone. The
         * members have one xid and one now().
         *
         * @param given how many, up to 128; 1 for none, which is the default
         * @return this builder
         */
        public Builder largestGroup(int given) {
            return set("group", Integer.toString(given));
        }

        /**
         * Lets the last writes of a transaction go with its COMMIT, in one flush, where a framework asks for it: see
         * {@link CommitFlush}.
         *
         * @param given whether; false by default
         * @return this builder
         */
        public Builder flushWithCommit(boolean given) {
            return set("flush", given ? "commit" : "plain");
        }

        private Builder set(String key, String word) {
            words.put(key, word);
            return this;
        }

        /**
         * The DataSource.
         *
         * @return the DataSource to use instead
         * @throws IllegalArgumentException if a system property or a size is malformed
         */
        public RowlockDataSource build() {
            return new RowlockDataSource(dataSource, new DropIn(JdbcSettings.of(name, words)));
        }
    }

    /**
     * What is seen, and can be changed while it runs.
     *
     * @return the same as in JMX
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

    /** That of the driver makes connections of nothing but its URL, the user and the password. */
    private @Nullable Object origin() {
        return delegate.getClass().equals(PGSimpleDataSource.class) ? "" : null;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("org.rowlock");
    }

    /** Takes it out of JMX. The DataSource behind it is left open, and connections go on as they are. */
    @Override
    public void close() {
        dropIn.close();
    }

    @Override
    public String toString() {
        return "RowlockDataSource(" + delegate + ')';
    }
}
