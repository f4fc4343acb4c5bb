package org.rowlock.testing;

import java.sql.Connection;
import javax.sql.DataSource;

/**
 * A DataSource that always returns the same connection and ignores {@code close}, so that a test can inspect the
 * connection between calls.
 */
public final class OneConnection {
    private OneConnection() {}

    public static DataSource of(Connection connection) {
        Connection kept = Proxies.of(
                Connection.class,
                (proxy, method, arguments) ->
                        method.getName().equals("close") ? null : Proxies.call(connection, method, arguments));
        return TestDataSource.of(() -> kept);
    }
}
