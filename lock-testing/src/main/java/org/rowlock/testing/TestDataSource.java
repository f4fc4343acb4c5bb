package org.rowlock.testing;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Makes a DataSource of a function, so that a test decides about each connection. */
public final class TestDataSource {
    private TestDataSource() {}

    /** Opens a connection. */
    @FunctionalInterface
    public interface Source {
        Connection open() throws SQLException;
    }

    public static DataSource of(Source source) {
        return Proxies.of(DataSource.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getConnection" -> source.open();
            case "isWrapperFor" -> false;
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            case "toString" -> "a DataSource of a test";
            // Pools ask for these.
            case "getLoginTimeout" -> 0;
            case "setLoginTimeout" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }
}
