package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

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
import org.rowlock.testing.TestDatabase;

/**
 * Calls near the end of the stack, at generated depths: what is reported is what is stored, the key is free afterwards,
 * and so is the connection.
 */
class DeepStackTest {
    private static final LockKey KEY = LockKey.row("account", 1);
    private static final String ADD = "update account set balance = balance + 1 where id = 1";

    private static final long STACK = 512 * 1024;
    private static final int CALLS = 60;
    private static final int MANY_CALLS = 600;

    /** How many frames of the test may be left free above the deepest that works, at most. */
    private static final int MOST_LEFT = 2_500;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance bigint not null default 0)",
            "insert into account values (1)");

    private final Random random = new Random(45);
    private int deepest;

    /** Those through which Rowlock borrows the connection, and gives it back. */
    private enum Door {
        EXECUTE {
            @Override
            void add(RowLocks locks, DataSource dataSource) throws SQLException {
                CommitWrites writes = new CommitWrites();
                writes.add(ADD).expectOneRow();
                locks.execute(dataSource, forUpdate(KEY), writes);
            }
        },
        WORK {
            @Override
            void add(RowLocks locks, DataSource dataSource) throws SQLException {
                locks.inTransaction(
                        dataSource,
                        forUpdate(KEY),
                        locked -> locked.atCommit().add(ADD).expectOneRow());
            }
        };

        abstract void add(RowLocks locks, DataSource dataSource) throws SQLException;
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

    /** Counts the frames that there are, and ends with the stack. */
    @SuppressWarnings("InfiniteRecursion")
    private void fall(int frames) {
        deepest = frames;
        fall(frames + 1);
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
        RowLocks locks = RowLocks.builder().maxAdmittedPerKey(1).build();
        int overflowed = 0;
        int done = 0;
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.dataSource());
            pool.setMaximumPoolSize(1);
            pool.setConnectionTimeout(TestDatabase.DEADLINE.toMillis());
            door.add(locks, pool);
            long balance = balance();
            for (int i = 0; i < calls; i++) {
                assertThat(inThread(() -> fall(0))).isInstanceOf(StackOverflowError.class);
                int depth = Math.max(0, deepest - random.nextInt(Math.min(deepest, MOST_LEFT)));
                Throwable thrown = inThread(() -> down(depth, () -> door.add(locks, pool)));
                long now = balance();
                if (thrown == null) {
                    assertThat(now).isEqualTo(balance + 1);
                    done++;
                } else if (!(thrown instanceof CommitOutcomeUnknownException)) {
                    assertThat(now).as("%s at %s of %s", thrown, depth, deepest).isEqualTo(balance);
                    overflowed++;
                }
                balance = now;
            }
            assertThat(inThread(() -> door.add(locks, pool))).isNull();
        }
        assertThat(locks.admission().keysInUse()).isZero();
        assertThat(overflowed).as("of " + done + " that were done").isPositive();
        assertThat(done).isPositive();
    }

    private long balance() throws Exception {
        return Long.parseLong(database.query("select balance from account"));
    }
}
