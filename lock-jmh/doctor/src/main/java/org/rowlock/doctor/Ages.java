package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * How far the counters that vacuum must keep from wrapping have gone.
 *
 * @param multixacts the age of the oldest MultiXact of any database
 * @param multixactDatabase which database that is
 * @param xids the age of the oldest xid of any database
 * @param xidDatabase which database that is
 */
record Ages(long multixacts, String multixactDatabase, long xids, String xidDatabase) {
    private static final String SELECT = """
            select (select array[mxid_age(datminmxid)::text, datname::text] from pg_catalog.pg_database
                    order by mxid_age(datminmxid) desc, datname = current_database() desc limit 1) as multixacts,
                   (select array[age(datfrozenxid)::text, datname::text] from pg_catalog.pg_database
                    order by age(datfrozenxid) desc, datname = current_database() desc limit 1) as xids
            """;

    static Ages read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SELECT)) {
            row.next();
            String[] multixacts = (String[]) row.getArray("multixacts").getArray();
            String[] xids = (String[]) row.getArray("xids").getArray();
            return new Ages(Long.parseLong(multixacts[0]), multixacts[1], Long.parseLong(xids[0]), xids[1]);
        }
    }
}
