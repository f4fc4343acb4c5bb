package org.rowlock.internal.commit;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.TestDatabase;

/** A standby that never comes: whoever is to wait for it waits until it is required no more. */
final class AbsentStandby {
    private AbsentStandby() {}

    static void require(TestDatabase database) throws SQLException {
        require(database, "nobody");
    }

    static void requireNoMore(TestDatabase database) throws SQLException {
        require(database, "");
    }

    private static void require(TestDatabase database, String name) throws SQLException {
        PGSimpleDataSource local = database.dataSource();
        local.setOptions("-c synchronous_commit=local");
        try (Connection connection = local.getConnection()) {
            TestDatabase.execute(connection, "alter system set synchronous_standby_names = '" + name + "'");
            TestDatabase.execute(connection, "select pg_reload_conf()");
        }
        TestDatabase.await()
                .until(() -> database.query("show synchronous_standby_names").equals(name));
        // Commits wait once the checkpointer has read the setting, which it does before a checkpoint.
        database.execute("checkpoint");
    }
}
