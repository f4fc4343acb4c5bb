package org.rowlock.examples.demo;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import org.postgresql.ds.PGSimpleDataSource;

/** A real PostgreSQL of the demo's own, in a temporary directory that goes with it. */
record EmbeddedDemoServer(String name, PGSimpleDataSource dataSource, EmbeddedPostgres postgres) implements DemoServer {
    /** Besides the clients': the demo's own, and the few that a server reserves. */
    private static final int FURTHER_CONNECTIONS = 36;

    static EmbeddedDemoServer start(int clients) {
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setServerConfig("max_connections", Integer.toString(clients + FURTHER_CONNECTIONS))
                    // Embedded for tests it forgets commits in a crash. A row is locked until its commit is safe on
                    // disk, so without these the demo would show waits that no production server has.
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    // The demo stops it itself, after the clients.
                    .setRegisterShutdownHook(false)
                    .start();
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setUrl(postgres.getJdbcUrl("postgres", "postgres"));
            dataSource.setApplicationName(APPLICATION_NAME);
            return new EmbeddedDemoServer("localhost:" + postgres.getPort() + ", embedded", dataSource, postgres);
        } catch (IOException | RuntimeException e) {
            throw new DemoException(
                    "The embedded PostgreSQL did not start: " + DemoErrors.describe(e)
                            + " Run the demo against a server of yours with -D" + DemoSettings.URL
                            + "=jdbc:postgresql://host:port/database.",
                    e);
        }
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
