package org.rowlock.internal.commit;

import java.sql.Connection;
import java.sql.SQLException;
import org.rowlock.testing.TestDatabase;

/** A standby that never comes: whoever is to wait for it waits until it is required no more. */
final class AbsentStandby implements AutoCloseable {
    private final TestDatabase database;

    private AbsentStandby(TestDatabase database) {
        this.database = database;
    }

    static AbsentStandby require(TestDatabase database) throws SQLException {
        AbsentStandby standby = new AbsentStandby(database);
        standby.require("nobody");
        return standby;
    }

    void requireNoMore() throws SQLException {
        require("");
    }

    @Override
    public void close() throws SQLException {
        requireNoMore();
    }

    /** Waits until a commit waits for the standby, and ends that wait by a function of the server. */
    void end(String function) throws SQLException {
        String waiting = "select coalesce(min(pid), 0) from pg_stat_activity where wait_event = 'SyncRep'";
        TestDatabase.await().until(() -> !database.query(waiting).equals("0"));
        database.execute("select " + function + "(" + database.query(waiting) + ")");
    }

    private void require(String name) throws SQLException {
        try (Connection connection =
                database.dataSourceWith("-c synchronous_commit=local").getConnection()) {
            TestDatabase.execute(
                    connection,
                    "alter system set synchronous_standby_names = '" + name + "'",
                    "select pg_reload_conf()");
        }
        TestDatabase.await()
                .until(() -> database.query("show synchronous_standby_names").equals(name));
        // Commits wait once the checkpointer has read the setting, which it does before a checkpoint.
        database.execute("checkpoint");
    }
}
