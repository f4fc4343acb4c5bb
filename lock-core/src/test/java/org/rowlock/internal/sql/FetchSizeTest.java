package org.rowlock.internal.sql;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockKey.rows;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.tryLock;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** A driver that fetches a few rows at a time would let a lock statement run on behind those that follow it. */
class FetchSizeTest {
    private static final List<LockKey> KEYS =
            rows("account", IntStream.rangeClosed(1, 10).boxed().toList());

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(10);

    @EveryStrategy
    void allRowsAreLockedBeforeWhatFollows(LockStrategy strategy, RowLocks locks, Session bob) throws Exception {
        PGSimpleDataSource dataSource = database.dataSource();
        dataSource.setDefaultRowFetchSize(2);
        Session alice = database.session("alice", dataSource);
        // Keys alone are refused in REPEATABLE READ.
        for (int isolation : strategy == LockStrategy.ADVISORY ? List.of(2) : List.of(2, 4)) {
            alice.connection().setTransactionIsolation(isolation);
            bob.run(c -> locks.in(c).lock(forUpdate(row("account", 9))));
            assertThat(tryLock(alice, locks, forUpdate(KEYS).atMost(ofMillis(30))))
                    .isFalse();
            alice.execute("select 1");
            alice.rollback();
            bob.rollback();
            alice.run(c -> locks.in(c).lock(forUpdate(KEYS).atMost(TestDatabase.DEADLINE)));
            String lockTimeout = alice.run(c -> {
                try (var statement = c.createStatement();
                        var result = statement.executeQuery("show lock_timeout")) {
                    result.next();
                    return result.getString(1);
                }
            });
            assertThat(lockTimeout).isEqualTo("0");
            for (LockKey key : KEYS) {
                assertThat(tryLock(bob, locks, forUpdate(key))).isFalse();
            }
            alice.rollback();
            bob.rollback();
        }
    }
}
