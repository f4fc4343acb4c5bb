package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Where a server is and who we are there. The URL may hold a password: show {@link #shown()} instead.
 *
 * @param url a URL of the PostgreSQL driver
 * @param user the role; null if the URL names it
 * @param password its password; null if the URL, a password file or nothing gives it
 */
public record ServerAddress(
        String url, @Nullable String user, @Nullable String password) {
    private static final int CONNECT_TIMEOUT_SECONDS = 10;
    private static final int LOGIN_TIMEOUT_SECONDS = 30;

    /** Checks the URL before anything is connected. */
    public ServerAddress {
        if (Driver.parseURL(url, null) == null) {
            throw new UserError("The URL given is not one of the PostgreSQL driver; give one like"
                    + " jdbc:postgresql://localhost:5432/postgres.");
        }
    }

    /** Unpooled connections that name themselves so in pg_stat_activity. */
    public PGSimpleDataSource dataSource(String applicationName) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        if (user != null) {
            dataSource.setUser(user);
        }
        if (password != null) {
            dataSource.setPassword(password);
        }
        dataSource.setApplicationName(applicationName);
        dataSource.setConnectTimeout(CONNECT_TIMEOUT_SECONDS);
        // The connect timeout ends with the TCP connection; something else than PostgreSQL may never answer on it.
        dataSource.setLoginTimeout(LOGIN_TIMEOUT_SECONDS);
        return dataSource;
    }

    /** A connection in autocommit. */
    public Connection connect(String applicationName) throws SQLException {
        return dataSource(applicationName).getConnection();
    }

    /** Host, port and database, without the password. */
    public String shown() {
        PGSimpleDataSource dataSource = dataSource("");
        StringBuilder address = new StringBuilder();
        String[] hosts = dataSource.getServerNames();
        int[] ports = dataSource.getPortNumbers();
        for (int i = 0; i < hosts.length; i++) {
            address.append(i == 0 ? "" : ",").append(hosts[i]);
            if (i < ports.length && ports[i] != 0) {
                address.append(':').append(ports[i]);
            }
        }
        String database = dataSource.getDatabaseName();
        return address + (database == null ? "" : "/" + database);
    }

    @Override
    public String toString() {
        return shown();
    }
}
