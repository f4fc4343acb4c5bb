package org.rowlock.internal.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;

import com.sun.management.ThreadMXBean;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.RowLocks;
import org.rowlock.testing.Pools;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/** What Rowlock makes anew in each transaction, in bytes beyond the same transaction by hand. What is equal for all is made once. */
class AllocationTest {
    private static final String READ = "select balance from account where id = ?";
    private static final String WRITE = "update account set balance = balance + 1 where id = ?";
    private static final int CALLS = 400;

    private static final ThreadMXBean THREAD = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(10);

    private static long bytes(Threads.Work call) throws Exception {
        long before = 0;
        for (int i = -CALLS; i < CALLS; i++) {
            if (i == 0) {
                before = THREAD.getCurrentThreadAllocatedBytes();
            }
            call.run(1 + Math.floorMod(i, 10));
        }
        return (THREAD.getCurrentThreadAllocatedBytes() - before) / CALLS;
    }

    private static void read(Connection connection, String sql, int id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, id);
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
            }
        }
    }

    private static void write(Connection connection, int id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
            statement.setInt(1, id);
            statement.executeUpdate();
        }
    }

    @Test
    void aTransactionMakesLittleAnew() throws Exception {
        try (HikariDataSource pool = Pools.of(database.dataSource(), 2)) {
            pool.setAutoCommit(false);
            RowLocks locks = RowLocks.of(pool);
            long byHand = bytes(id -> {
                try (Connection connection = pool.getConnection()) {
                    read(connection, READ + " for update", id);
                    write(connection, id);
                    connection.commit();
                }
            });
            long read = bytes(id -> {
                try (Connection connection = pool.getConnection()) {
                    var unused = locks.in(connection).lockAndRead(forUpdate(row("account", id)), READ, Long.class, id);
                    write(connection, id);
                    connection.commit();
                }
            });
            long inTransaction = bytes(id -> locks.lock(forUpdate(row("account", id)))
                    .read(READ, Long.class, id)
                    .useTransaction(locked -> write(locked.connection(), id)));
            long atCommit = bytes(id -> locks.lock(forUpdate(row("account", id)))
                    .read(READ, Long.class, id)
                    .useTransaction(locked -> locked.atCommit(WRITE, id)));
            assertThat(read).as("lockAndRead").isLessThan(byHand + 2_000);
            assertThat(inTransaction).as("inTransaction").isLessThan(byHand + 2_700);
            assertThat(atCommit).as("writes with the commit").isLessThan(byHand + 4_800);
        }
    }
}
