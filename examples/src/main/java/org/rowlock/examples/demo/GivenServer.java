package org.rowlock.examples.demo;

import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;

/** The user's own server. Never stopped, and only connected to when asked. */
record GivenServer(String name, PGSimpleDataSource dataSource) implements DemoServer {
    private static final int CONNECT_TIMEOUT_SECONDS = 10;

    static GivenServer at(String url, DemoSettings settings) {
        // The driver's own parser, as the URL may hold a password and must not be shown.
        if (Driver.parseURL(url, null) == null) {
            throw new DemoException("-D" + DemoSettings.URL + " is not a URL of the PostgreSQL driver; give one like"
                    + " jdbc:postgresql://localhost:5432/postgres.");
        }
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        if (settings.user() != null) {
            dataSource.setUser(settings.user());
        }
        if (settings.password() != null) {
            dataSource.setPassword(settings.password());
        }
        dataSource.setApplicationName(APPLICATION_NAME);
        dataSource.setConnectTimeout(CONNECT_TIMEOUT_SECONDS);
        return new GivenServer(address(dataSource), dataSource);
    }

    private static String address(PGSimpleDataSource dataSource) {
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
    public void close() {}
}
