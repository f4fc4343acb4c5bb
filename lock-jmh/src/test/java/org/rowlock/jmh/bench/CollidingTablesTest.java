package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.testing.TestDatabase;

/** Whether tables found by the formula collide in the server, as pg_locks shows. */
class CollidingTablesTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    @Test
    void aStrongLockOfTheCollidingTableTakesReadersOffTheFastPath() throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Connection other = database.dataSource().getConnection()) {
            CollidingTables tables = CollidingTables.create(connection);
            assertThat(tables.isFastPathBeside(tables.colliding(), connection, other))
                    .as("beside the colliding table")
                    .isFalse();
            assertThat(tables.isFastPathBeside(tables.apart(), connection, other))
                    .as("beside the table apart")
                    .isTrue();
        }
    }
}
