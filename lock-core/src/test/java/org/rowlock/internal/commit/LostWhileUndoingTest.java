package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.ObservedDataSource;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** A wait ran out, and the connection is lost before the transaction has been made usable again. */
class LostWhileUndoingTest {
    private static final LockKey KEY = LockKey.row("account", 1);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    @EveryStrategy
    void lostConnectionIsNotReportedAsAUsableTransaction(RowLocks locks, Session holder) throws Exception {
        holder.run(c -> locks.in(c).lock(forUpdate(KEY)));
        ObservedDataSource dataSource = new ObservedDataSource(database.dataSource());
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            dataSource.fail("createStatement", new SQLException("An I/O error occurred", "08006"));
            assertThatThrownBy(() -> locks.in(connection)
                            .tryLock(forUpdate(KEY).atMost(Duration.ofMillis(20)))
                            .isHeld())
                    .isInstanceOf(LockConnectionLostException.class);
        }
    }
}
