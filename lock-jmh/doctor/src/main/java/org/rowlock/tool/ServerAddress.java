package org.rowlock.tool;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The address of a server and the login. The URL may hold a password, so print {@link #toString} instead of the URL.
 *
 * @param url a URL of the PostgreSQL driver; a URL of the drop-in is converted into a URL of the driver
 * @param user the role; null if the URL names it
 * @param password the password of the role; null if the URL or a password file has the password, or if there is none
 */
public record ServerAddress(
        String url, @Nullable String user, @Nullable String password) {
    private static final int CONNECT_TIMEOUT_SECONDS = 10;
    private static final int LOGIN_TIMEOUT_SECONDS = 30;

    private static final String HOST = "(\\[[^]/]*]|[^]\\[/:,]*)(:\\d+)?";
    private static final Pattern ADDRESS =
            Pattern.compile("jdbc:postgresql:(//|(//" + HOST + "(," + HOST + ")*/)?[^/:]*)");
    private static final Pattern OTHER_SEPARATOR = Pattern.compile("[;?]\\w+=");

    /**
     * Checks the URL before the driver parses it. The driver takes a misplaced password for a host, port or database,
     * and both the driver and the server log such names. The driver also logs a URL that it cannot parse.
     */
    public ServerAddress {
        url = url.replaceFirst("^jdbc:rowlock:postgresql:", "jdbc:postgresql:");
        int question = url.indexOf('?');
        String address = question < 0 ? url : url.substring(0, question);
        String parameters = question < 0 ? "" : url.substring(question + 1);
        refuse(address.contains("@"), "at");
        refuse(address.matches(".*[;&=].*"), "separator");
        refuse(OTHER_SEPARATOR.matcher(parameters).find(), "parameters");
        refuse(!ADDRESS.matcher(address).matches(), "other");
        refuse(Driver.parseURL(url, null) == null, "other");
    }

    private static void refuse(boolean isWrong, String why) {
        if (isWrong) {
            throw new UserError(Texts.words("url." + why));
        }
    }

    boolean hasPassword() {
        return password != null
                || PGProperty.PASSWORD.getOrDefault(Objects.requireNonNull(Driver.parseURL(url, null))) != null;
    }

    /** Returns a data source without a pool. Its connections have this application_name. */
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
        // The connect timeout covers only the TCP connection. A server other than PostgreSQL may accept the connection
        // and never answer.
        dataSource.setLoginTimeout(LOGIN_TIMEOUT_SECONDS);
        return dataSource;
    }

    public Connection connect(String applicationName) throws SQLException {
        return dataSource(applicationName).getConnection();
    }

    /** Returns host, port and database, without the parameters, because a password may be among them. */
    @Override
    public String toString() {
        return url.replaceFirst("\\?.*", "").replaceFirst("^jdbc:postgresql:/*(?=[^/])", "");
    }
}
