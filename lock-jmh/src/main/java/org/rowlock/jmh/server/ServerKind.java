package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** What answers there. Several other databases speak PostgreSQL's protocol, and lock in their own ways. */
public enum ServerKind {
    POSTGRESQL("PostgreSQL"),
    COCKROACHDB("CockroachDB"),
    YUGABYTEDB("YugabyteDB"),
    REDSHIFT("Amazon Redshift"),
    GREENPLUM("Greenplum"),
    OPENGAUSS("openGauss"),
    OTHER("another database");

    private final String title;

    ServerKind(String title) {
        this.title = title;
    }

    /** Its name for a person. */
    public String title() {
        return title;
    }

    static ServerKind of(Connection connection) throws SQLException {
        String cockroach = connection.unwrap(PGConnection.class).getParameterStatus("crdb_version");
        return of(version(connection), cockroach);
    }

    /**
     * Tells it from what it says of itself.
     *
     * @param version what {@code version()} gives
     * @param cockroach the parameter {@code crdb_version}, which CockroachDB alone reports
     */
    static ServerKind of(String version, @Nullable String cockroach) {
        if (cockroach != null || version.startsWith("CockroachDB")) {
            return COCKROACHDB;
        }
        if (version.contains("-YB-")) {
            return YUGABYTEDB;
        }
        if (version.contains("Redshift")) {
            return REDSHIFT;
        }
        if (version.contains("Greenplum")) {
            return GREENPLUM;
        }
        if (version.contains("openGauss")) {
            return OPENGAUSS;
        }
        return version.startsWith("PostgreSQL ") ? POSTGRESQL : OTHER;
    }

    static String version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select version()")) {
            return row.next() ? row.getString(1) : "";
        }
    }
}
