package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.tryLock;
import static org.rowlock.testing.Refusals.assertRefusal;

import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.LockTableFullException;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** A full lock table is told by its own exception, and a rollback makes room again. */
@Tag("long")
class LockTableFullTest {
    private static final int MORE_THAN_FIT = 50_000;
    private static final List<LockKey> KEYS =
            LockKey.rows("account", IntStream.range(0, MORE_THAN_FIT).boxed().toList());

    @AutoClose("stop")
    private static final TestPostgres SERVER =
            TestPostgres.embedded(Map.of("max_locks_per_transaction", "10", "max_connections", "10"));

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(SERVER, 0);

    private static RowLocks locks(LockStrategy strategy) {
        return LockAccess.builder().strategy(strategy).lockBudget(MORE_THAN_FIT).build();
    }

    @EveryStrategy.WithKey
    void tellsHowManyWereAskedFor(LockStrategy strategy, Session alice) throws Exception {
        RowLocks locks = locks(strategy);
        // An absent row is refused in REPEATABLE READ.
        database.execute("insert into account(id) select generate_series(0, 99)");
        List<Integer> levels = strategy == LockStrategy.ADVISORY
                ? List.of(Connection.TRANSACTION_READ_COMMITTED)
                : List.of(Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ);
        for (int isolation : levels) {
            alice.connection().setTransactionIsolation(isolation);
            assertRefusal(LockTableFullException.class, "53200", () -> lock(alice, locks, forUpdate(KEYS)))
                    .hasMessageContainingAll("max_locks_per_transaction", String.valueOf(MORE_THAN_FIT));
            alice.rollback();
            assertThat(alice.advisoryLocks()).isZero();
            LockResult result = lock(alice, locks, forUpdate(KEYS.subList(0, 100)));
            assertThat(result.isHeld()).isTrue();
            alice.rollback();
        }
    }

    /** Bounded or not, the failed call gives back all its locks, and with a savepoint the transaction as well. */
    @EveryStrategy.WithKey
    void boundedCallsTellItToo(LockStrategy strategy, Session alice) throws Exception {
        RowLocks locks = locks(strategy);
        for (LockWait wait : List.of(LockWait.NO_WAIT, LockWait.atMost(TestDatabase.DEADLINE))) {
            assertThatThrownBy(() -> tryLock(alice, locks, Requests.waiting(forShare(KEYS), wait)))
                    .isInstanceOf(LockTableFullException.class);
            alice.rollback();
            assertThat(alice.advisoryLocks()).isZero();
        }
    }
}
