package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.testing.TestDatabase;

/** Checks in pg_locks that the tables that the file selects collide in the server's lock table, in variant 1 only. */
class SqlCaseTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    @ParameterizedTest
    @CsvSource({"0, true", "1, false"})
    void aStrongLockOfACollidingTableTakesReadersOffTheFastPath(int variant, boolean fastPath) throws SQLException {
        try (Connection strong = database.dataSource().getConnection();
                Connection reader = database.dataSource().getConnection()) {
            String[] setup = SqlCase.sections("lwlocks-fastpath", variant)
                    .get(0)
                    .statements()
                    .toArray(String[]::new);
            Jdbc.execute(strong, setup);
            strong.setAutoCommit(false);
            reader.setAutoCommit(false);
            Jdbc.execute(strong, "lock table truncated in access exclusive mode");
            Jdbc.execute(reader, "select from hot");
            assertThat(Jdbc.<Boolean>one(
                            reader,
                            "select bool_and(fastpath) from pg_locks where pid = pg_backend_pid()"
                                    + " and locktype = 'relation' and relation = 'hot'::regclass",
                            row -> row.getBoolean(1)))
                    .isEqualTo(fastPath);
            reader.rollback();
            strong.rollback();
        }
    }
}
