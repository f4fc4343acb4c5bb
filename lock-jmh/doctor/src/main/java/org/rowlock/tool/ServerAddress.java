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
 * The address of a server and the login to use there. The URL may hold a password: show {@link #toString} instead.
 *
 * @param url a URL of the PostgreSQL driver, or of the drop-in, which leads to the same server
 * @param user the role; null if the URL names it
 * @param password its password; null if it comes from the URL or a password file, or if there is none
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
     * Checks the URL before the driver sees it. The driver takes a password in the wrong place for a host, a port or a
     * database, and logs it, as the server does. It also logs the whole of a URL that it does not understand.
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

    /** Whether a password is given, in the URL or beside it. */
    boolean hasPassword() {
        return password != null
                || PGProperty.PASSWORD.getOrDefault(Objects.requireNonNull(Driver.parseURL(url, null))) != null;
    }

    /** Creates unpooled connections that show this name in pg_stat_activity. */
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
        // The connect timeout covers the TCP connection only. A server that is not PostgreSQL may never answer after
        // that.
        dataSource.setLoginTimeout(LOGIN_TIMEOUT_SECONDS);
        return dataSource;
    }

    /** Opens a connection in autocommit. */
    public Connection connect(String applicationName) throws SQLException {
        return dataSource(applicationName).getConnection();
    }

    /** Returns host, port and database. The password is left out with all other parameters after the question mark. */
    @Override
    public String toString() {
        return url.replaceFirst("\\?.*", "").replaceFirst("^jdbc:postgresql:/*(?=[^/])", "");
    }
}
