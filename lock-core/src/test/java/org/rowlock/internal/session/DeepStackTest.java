package org.rowlock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockOperation;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Pools;
import org.rowlock.testing.TestDatabase;

/**
 * Calls near the end of the stack, at depths that follow the end: what is reported is what is stored, the key is free afterwards,
 * and so is the connection.
 */
class DeepStackTest {
    private static final LockKey KEY = LockKey.row("account", 1);
    private static final String ADD = "update account set balance = balance + 1 where id = 1";

    private static final long STACK = 512 * 1024;
    private static final int CALLS = 60;
    private static final int MANY_CALLS = 600;

    /** The largest change of the depth between two calls, in frames of the test. */
    private static final int FARTHEST_STEP = 2_500;

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    private final Random random = new Random(45);

    /** Those through which Rowlock borrows the connection, and gives it back. */
    private enum Door {
        EXECUTE,
        WORK;

        void add(RowLocks locks, DataSource dataSource) throws SQLException {
            LockOperation operation = on(locks, dataSource).lock(forUpdate(KEY));
            if (this == WORK) {
                operation.inTransaction(locked -> locked.atCommit(ADD).expectOneRow());
                return;
            }
            CommitWrites writes = new CommitWrites();
            writes.add(ADD).expectOneRow();
            operation.execute(writes);
        }
    }

    private interface Call {
        void run() throws Exception;
    }

    private static int down(int frames, Call call) throws Exception {
        if (frames == 0) {
            call.run();
            return 0;
        }
        return 1 + down(frames - 1, call);
    }

    private static Throwable inThread(Call call) throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        call.run();
                    } catch (Throwable e) {
                        thrown.set(e);
                    }
                },
                "deep",
                STACK);
        thread.start();
        thread.join(TestDatabase.DEADLINE.toMillis());
        assertThat(thread.isAlive()).as("waits for ever").isFalse();
        return thrown.get();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsReportedIsStored(Door door) throws Exception {
        check(door, CALLS);
    }

    @Test
    @Tag("long")
    void whatIsReportedIsStoredInManyCalls() throws Exception {
        for (Door door : Door.values()) {
            check(door, MANY_CALLS);
        }
    }

    private void check(Door door, int calls) throws Exception {
        RowLocks locks = LockAccess.builder().maxAdmittedPerKey(1).build();
        int overflowed = 0;
        int done = 0;
        try (HikariDataSource pool = Pools.of(database.dataSource(), 1)) {
            door.add(locks, pool);
            long balance = balance();
            int depth = 0;
            // A compiled frame takes less of the stack than an interpreted one, so the depth follows the outcomes.
            for (int i = 0; i < calls; i++) {
                int at = depth;
                Throwable thrown = inThread(() -> down(at, () -> door.add(locks, pool)));
                long now = balance();
                if (thrown == null) {
                    assertThat(now).isEqualTo(balance + 1);
                    done++;
                    depth += random.nextInt(FARTHEST_STEP);
                } else {
                    if (!(thrown instanceof CommitOutcomeUnknownException)) {
                        assertThat(now).as("%s at %s", thrown, at).isEqualTo(balance);
                        overflowed++;
                    }
                    depth = Math.max(0, depth - random.nextInt(FARTHEST_STEP));
                }
                balance = now;
            }
            assertThat(inThread(() -> door.add(locks, pool))).isNull();
        }
        assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
        assertThat(overflowed).as("of " + done + " that were done").isPositive();
        assertThat(done).isPositive();
    }

    private long balance() throws Exception {
        return Long.parseLong(database.query("select balance from account"));
    }
}
