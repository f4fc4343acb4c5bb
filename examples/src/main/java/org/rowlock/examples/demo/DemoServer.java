package org.rowlock.examples.demo;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** The PostgreSQL server of the demo. */
interface DemoServer extends AutoCloseable {
    /** Distinguishes the demo's sessions in pg_stat_activity. */
    String APPLICATION_NAME = "rowlock-demo";

    /**
     * Says where it is, without the password.
     *
     * @return host, port and database, and how it came to be
     */
    String name();

    /**
     * Where to get connections, unpooled.
     *
     * @return the data source
     */
    PGSimpleDataSource dataSource();

    @Override
    void close() throws IOException;

    /**
     * Opens a connection in autocommit.
     *
     * @return the connection
     * @throws DemoException if there is none to be had
     */
    default Connection connect() {
        try {
            return dataSource().getConnection();
        } catch (SQLException e) {
            throw DemoErrors.atStart(e, name());
        }
    }

    /**
     * The user's own server if a URL is given, and else an embedded one, which is started.
     *
     * @throws DemoException if the URL is none of PostgreSQL's, or the server does not start
     */
    static DemoServer of(DemoSettings settings) {
        @Nullable String url = settings.url();
        return url == null
                ? EmbeddedDemoServer.start(settings.clients() + OneRow.POOL_SIZE)
                : GivenServer.at(url, settings);
    }
}
