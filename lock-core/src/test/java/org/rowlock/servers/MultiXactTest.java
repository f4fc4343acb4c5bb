package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/**
 * A row that is locked behind a savepoint and updated afterwards becomes a MultiXact, as the lock belongs to another
 * transaction id. So no savepoint stands where none is needed.
 */
class MultiXactTest {
    private static final LockKey KEY = row("account", 1);
    private static final LockWait BOUND = LockWait.atMost(Duration.ofSeconds(60));

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create extension if not exists pageinspect schema public",
            "create table account(id int primary key, balance bigint not null default 0)",
            "insert into account select g from generate_series(1, 10) g");

    private Session alice;

    @BeforeEach
    void openSession() throws Exception {
        alice = database.session("alice");
    }

    /** Locks, updates the row in the same transaction, and tells whether that made a MultiXact of it. */
    private boolean makesMultiXact(boolean begun, Session.Body<?> lock) throws Exception {
        int before = rowsWithMultiXact();
        if (begun) {
            alice.execute("select 1");
        }
        alice.run(lock);
        alice.execute("update account set balance = balance + 1 where id = 1");
        alice.commit();
        return rowsWithMultiXact() > before;
    }

    /** Versions of rows whose xmax is a MultiXact: bit 0x1000 of the header. */
    private int rowsWithMultiXact() throws Exception {
        return Integer.parseInt(database.query("select count(*) from public.heap_page_items("
                + "public.get_raw_page('account', 0)) where t_infomask & 4096 <> 0"));
    }

    @EveryStrategy.WithRow
    void noneWhereTheTransactionHasNotBegun(RowLocks locks) throws Exception {
        for (Session.Body<?> lock : List.<Session.Body<?>>of(
                c -> locks.in(c).tryLock(forUpdate(KEY)).isHeld(),
                c -> locks.in(c).lock(Requests.waiting(forUpdate(KEY), BOUND)),
                c -> locks.in(c)
                        .tryLock(forUpdate(LockKey.rows("account", List.of(1, 2))))
                        .isHeld(),
                c -> locks.in(c).lockAndRead(Requests.waiting(forUpdate(KEY), BOUND), "select 1", found -> 1))) {
            assertThat(makesMultiXact(false, lock)).isFalse();
        }
    }

    @Test
    void noneFromATryOfOneRowInATransactionThatHasBegun() throws Exception {
        assertThat(makesMultiXact(
                        true,
                        c -> locks(LockStrategy.ROW)
                                .in(c)
                                .tryLock(forUpdate(KEY))
                                .isHeld()))
                .isFalse();
    }

    /** What remains, and is documented: a failure has to let go of the key, or of the rows before, and nothing else. */
    @EveryStrategy.WithRow
    void oneFromABoundedWaitInATransactionThatHasBegun(LockStrategy strategy) throws Exception {
        assertThat(makesMultiXact(true, c -> locks(strategy).in(c).lock(Requests.waiting(forUpdate(KEY), BOUND))))
                .isTrue();
    }
}
