package org.rowlock.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.queue.DropIn;
import org.rowlock.jdbc.internal.settings.JdbcUrl;
import org.rowlock.jdbc.internal.wrap.RowlockConnection;

/**
 * PostgreSQL's driver with {@link RowlockDataSource}'s queue, by the URL {@code jdbc:rowlock:postgresql://...}; the
 * rest of the URL and all properties are those of PostgreSQL's driver. A driver in front of that one is named between
 * the two, as in {@code jdbc:rowlock:aws-wrapper:postgresql://...}. {@link DriverManager} finds it by the URL without
 * {@code rowlock:}. {@code rowlock.mode}, {@code rowlock.front}, {@code rowlock.group}, {@code rowlock.flush},
 * {@code rowlock.include} and {@code rowlock.exclude} may be parameters of the URL or properties. Otherwise the system
 * properties {@code rowlock.jdbc.*} apply. Thread-safe.
 */
public final class RowlockDriver implements Driver {
    /** By the URL, and the settings that it, the properties and the system properties made. */
    private static final Map<List<Object>, DropIn> DROP_INS = new ConcurrentHashMap<>();

    private static final Driver POSTGRES = new org.postgresql.Driver();

    static {
        try {
            DriverManager.registerDriver(new RowlockDriver(), RowlockDriver::close);
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
        Connection connection = driver(parsed).connect(parsed.url(), parsed.properties());
        if (connection == null) {
            return null;
        }
        DropIn dropIn = DROP_INS.computeIfAbsent(key(url, parsed), key -> new DropIn(parsed.settings()));
        return RowlockConnection.wrap(connection, dropIn, url, parsed.properties());
    }

    @Override
    public boolean acceptsURL(String url) {
        return JdbcUrl.isOurs(url);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, @Nullable Properties info) throws SQLException {
        JdbcUrl parsed = JdbcUrl.of(url, info);
        Driver driver = acceptsURL(url) ? driver(parsed) : POSTGRES;
        return driver.getPropertyInfo(parsed.url(), parsed.properties());
    }

    private static Driver driver(JdbcUrl parsed) throws SQLException {
        // The driver also takes a URL that it cannot read, and reports that.
        if (parsed.url().startsWith("jdbc:postgresql:")) {
            return POSTGRES;
        }
        try {
            return DriverManager.getDriver(parsed.url());
        } catch (SQLException e) {
            String address = parsed.url().substring(0, parsed.url().indexOf("postgresql:") + "postgresql:".length());
            throw new SQLException(
                    "No driver takes " + address + ".., which the URL jdbc:rowlock:"
                            + address.substring("jdbc:".length())
                            + ".. leads to; add the one that it names to the class path, or use"
                            + " jdbc:rowlock:postgresql:..",
                    "08001",
                    e);
        }
    }

    private static List<Object> key(String url, JdbcUrl parsed) {
        return List.of(url, parsed.settings().words());
    }

    /**
     * Returns the figures and settings of a URL, which can be changed while it runs. Connections with the same URL and
     * other settings in their properties have another control.
     *
     * @param url as it was connected to
     * @param info the properties that it was connected with; of them only ours count
     * @return null if it was not
     * @throws SQLException if one of our settings cannot be used
     */
    public static @Nullable RowlockJdbcMXBean control(String url, @Nullable Properties info) throws SQLException {
        return JdbcUrl.isOurs(url) ? DROP_INS.get(key(url, JdbcUrl.of(url, info))) : null;
    }

    /**
     * Takes all URLs out of JMX and forgets them, so that a web application that is stopped can be unloaded. Happens by
     * itself if the driver is deregistered from {@link DriverManager}. Connections go on as they are.
     */
    public static void close() {
        DROP_INS.values().removeIf(dropIn -> {
            dropIn.close();
            return true;
        });
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
