package org.rowlock.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.turn.DropIn;
import org.rowlock.jdbc.internal.turn.JdbcUrl;
import org.rowlock.jdbc.internal.wrap.RowlockConnection;

/**
 * PostgreSQL's driver with {@link RowlockDataSource}'s queue, by the URL {@code jdbc:rowlock:postgresql://...}; the rest of the URL
 * and all properties are those of PostgreSQL's driver. {@code rowlock.mode}, {@code rowlock.release}, {@code rowlock.include} and {@code
 * rowlock.exclude} may be parameters of the URL or properties; else the system properties {@code rowlock.jdbc.*} count. Thread-safe.
 */
public final class RowlockDriver implements Driver {
    /** What the connections of one URL have in common. */
    private static final Map<String, DropIn> DROP_INS = new ConcurrentHashMap<>();

    private static final Driver POSTGRES = new org.postgresql.Driver();

    static {
        try {
            DriverManager.registerDriver(new RowlockDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** For {@link java.util.ServiceLoader}. */
    public RowlockDriver() {}

    @Override
    public @Nullable Connection connect(String url, @Nullable Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        JdbcUrl parsed = JdbcUrl.of(url, info);
        Connection connection = POSTGRES.connect(parsed.url(), parsed.properties());
        if (connection == null) {
            return null;
        }
        // The first to come makes the settings; others of the same URL find them as they are by then.
        return RowlockConnection.wrap(connection, DROP_INS.computeIfAbsent(url, same -> new DropIn(parsed.settings())));
    }

    @Override
    public boolean acceptsURL(String url) {
        return JdbcUrl.isOurs(url);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, @Nullable Properties info) throws SQLException {
        JdbcUrl parsed = JdbcUrl.of(url, info);
        return POSTGRES.getPropertyInfo(parsed.url(), parsed.properties());
    }

    /**
     * What is seen of a URL, and can be changed while it runs.
     *
     * @param url as it was connected to
     * @return null if it was not
     */
    public static @Nullable RowlockJdbcMXBean control(String url) {
        return DROP_INS.get(url);
    }

    @Override
    public int getMajorVersion() {
        return POSTGRES.getMajorVersion();
    }

    @Override
    public int getMinorVersion() {
        return POSTGRES.getMinorVersion();
    }

    @Override
    public boolean jdbcCompliant() {
        return POSTGRES.jdbcCompliant();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("org.rowlock");
    }
}
