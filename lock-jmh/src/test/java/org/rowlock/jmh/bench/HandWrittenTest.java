package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Wire;

/** The library is compared with its own SQL, so the copy must stay one. */
class HandWrittenTest {
    private static final String READ = "select balance from accounts where aid = ?";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table accounts (aid int primary key, balance bigint not null)",
            "insert into accounts values (1, 7)");

    @Test
    void theSqlByHandIsTheLibrarys() throws Exception {
        RowLocks locks = LockAccess.builder().strategy(LockStrategy.ADVISORY).build();
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);

            // The first lock of a table asks the catalog for its id columns.
            locks.in(connection).lock(forUpdate(LockKey.row("accounts", 2)));
            connection.rollback();
            List<String> library = Wire.statements(
                    connection,
                    tapped -> locks.in(tapped)
                            .lockAndRead(forUpdate(LockKey.row("accounts", 1)), READ, row -> row.getLong(1), 1));
            List<String> byHand =
                    Wire.statements(connection, tapped -> HandWritten.lockAndRead(tapped, "accounts", READ, 1));
            connection.rollback();

            assertThat(byHand).isEqualTo(library);
        }
    }
}
