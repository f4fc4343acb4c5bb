package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The address of a server and our login there. The URL may hold a password: show {@link #shown()} instead.
 *
 * @param url a URL of the PostgreSQL driver
 * @param user the role; null if the URL names it
 * @param password its password; null if the URL, a password file or nothing gives it
 */
public record ServerAddress(
        String url, @Nullable String user, @Nullable String password) {
    private static final int CONNECT_TIMEOUT_SECONDS = 10;
    private static final int LOGIN_TIMEOUT_SECONDS = 30;

    private static final String OTHER_URL = "The URL given is not one of the PostgreSQL driver; give one like"
            + " jdbc:postgresql://localhost:5432/postgres.";
    private static final String HOST = "(\\[[^]/]*]|[^]\\[/:,]*)(:\\d+)?";
    private static final Pattern ADDRESS =
            Pattern.compile("jdbc:postgresql:(//|(//" + HOST + "(," + HOST + ")*/)?[^/:]*)");
    private static final Pattern OTHER_SEPARATOR = Pattern.compile("[;?]\\w+=");

    /** Checks the URL before anything is connected. */
    public ServerAddress {
        refuseOtherShapes(url);
        if (Driver.parseURL(url, null) == null) {
            throw new UserError(OTHER_URL);
        }
    }

    /**
     * A password in the wrong place is a host, a port or a database to the driver, which logs them, as the server does.
     * Nor may the driver meet a URL that it does not understand: it logs all of it.
     */
    private static void refuseOtherShapes(String url) {
        int question = url.indexOf('?');
        String address = question < 0 ? url : url.substring(0, question);
        String parameters = question < 0 ? "" : url.substring(question + 1);
        if (address.contains("@")) {
            throw new UserError(
                    "The URL given has an @ in its address, where the driver knows neither user nor password."
                            + " Give jdbc:postgresql://host:port/database, and them by --user and --password.");
        }
        if (address.matches(".*[;&=].*")) {
            throw new UserError(
                    "The URL given has a ;, & or = in its address. Put a question mark in front of the driver's"
                            + " parameters, as in jdbc:postgresql://host:port/database?ssl=true&loginTimeout=10, and"
                            + " give the password by --password.");
        }
        if (OTHER_SEPARATOR.matcher(parameters).find()) {
            throw new UserError(
                    "The URL given has a ; or a second ? between its parameters. Put an & there, and write %3B"
                            + " or %3F where one is part of a value.");
        }
        if (!ADDRESS.matcher(address).matches()) {
            throw new UserError(OTHER_URL);
        }
    }

    /** Whether it has a password, in the URL or beside it. */
    boolean hasPassword() {
        return password != null
                || PGProperty.PASSWORD.getOrDefault(Objects.requireNonNull(Driver.parseURL(url, null))) != null;
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
