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
 * A driver that wraps PostgreSQL's driver, as {@link RowlockDataSource} wraps a DataSource. The URL of this driver is
 * {@code jdbc:rowlock:postgresql://...}; the rest of the URL and all other properties are those of PostgreSQL's driver.
 * Thread-safe.
 *
 * <p>To use another driver that itself wraps PostgreSQL's driver, add its name after {@code rowlock:}, as in
 * {@code jdbc:rowlock:aws-wrapper:postgresql://...}. {@link DriverManager} finds that driver by the URL without
 * {@code rowlock:}.
 *
 * <p>The settings of {@link RowlockDataSource#wrap(javax.sql.DataSource, String, Map)}, with the prefix
 * {@code rowlock.}, are parameters of the URL or properties of the connection. A setting that neither the URL nor the
 * properties contain comes from the system property {@code rowlock.jdbc.*}.
 */
public final class RowlockDriver implements Driver {
    /** The shared state of connections with the same URL and settings. */
    private static final Map<List<Object>, DropIn> DROP_INS = new ConcurrentHashMap<>();

    private static final Driver POSTGRES = new org.postgresql.Driver();

    static {
        try {
            DriverManager.registerDriver(new RowlockDriver(), RowlockDriver::close);
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Creates a driver, as {@link java.util.ServiceLoader} requires. */
    public RowlockDriver() {}

    @Override
    public @Nullable Connection connect(String url, @Nullable Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        JdbcUrl parsed = JdbcUrl.of(url, info);
        Connection connection = driver(parsed).connect(parsed.url(), parsed.properties());
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
        // For a malformed URL, PostgreSQL's driver names the fault. The message of DriverManager would only say that no
        // driver accepts the URL.
        if (parsed.url().startsWith("jdbc:postgresql:")) {
            return POSTGRES;
        }
        try {
            return DriverManager.getDriver(parsed.url());
        } catch (SQLException e) {
            String address = parsed.url().substring(0, parsed.url().indexOf("postgresql:") + "postgresql:".length());
            throw new SQLException(
                    "No driver accepts the URL " + address
                            + "..; add such a driver to the class path, or use jdbc:rowlock:postgresql:..",
                    "08001",
                    e);
        }
    }

    private static List<Object> key(String url, JdbcUrl parsed) {
        return List.of(url, parsed.settings().words());
    }

    /**
     * Returns the object with the figures and settings of a URL. The settings can be changed at run time. Connections
     * with the same URL, but with different settings of the drop-in in their properties, have separate objects.
     *
     * @param url the URL of the connections
     * @param info the properties of the connections, of which only the drop-in's settings matter
     * @return the object; null if no connection has been opened with this URL and these properties
     * @throws SQLException if a setting of the drop-in is invalid
     */
    public static @Nullable RowlockJdbcMXBean control(String url, @Nullable Properties info) throws SQLException {
        return JdbcUrl.isOurs(url) ? DROP_INS.get(key(url, JdbcUrl.of(url, info))) : null;
    }

    /**
     * Deregisters the figures of all URLs from JMX and discards the figures, so that a stopped web application can be
     * unloaded. {@link DriverManager} calls this method when the driver is deregistered. Open connections keep working.
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
