package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.startLock;

import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.testing.Held;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** A transaction that writes a row, or inserts one that references it, before it locks it. */
class WriteBeforeLockTest {
    private static final LockKey KEY = row("account", 1);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1, "create table entry(account int references account)");

    @ParameterizedTest
    @ValueSource(strings = {"update account set balance = 1 where id = 1", "insert into entry values (1)"})
    void bothDeadlocksAndSaysWhy(String write, Session writer, Session locker) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        // The one that waits longer finds the deadlock, which is to be the writer.
        locker.execute("set deadlock_timeout = '1h'");
        locker.commit();
        writer.execute(write);
        Step<LockResult> second = startLock(locker, locks, forUpdate(KEY)).awaitBlockedBy(writer);
        Throwable failure = startLock(writer, locks, forUpdate(KEY)).failure();
        assertThat(failure)
                .isInstanceOf(LockDeadlockException.class)
                .hasMessageContainingAll(
                        "wrote or locked the row",
                        "lock before you write, lock FOR_NO_KEY_UPDATE if references are inserted, or use"
                                + " strategy ROW.");
        writer.rollback();
        second.get();
    }

    /** What is done already is not advised. */
    @ParameterizedTest
    @CsvSource({"FOR_UPDATE, write; lock FOR_NO_KEY_UPDATE if", "FOR_NO_KEY_UPDATE, lock before you write."})
    void theAdviceOfRowIsOfItsMode(RowLockMode mode, String advice, Session one, Session other) throws Exception {
        RowLocks locks = locks(LockStrategy.ROW);
        other.execute("set deadlock_timeout = '1h'");
        other.commit();
        database.execute("insert into account values (2)");
        LockKey second = LockKey.row("account", 2);
        lock(one, locks, LockRequest.of(mode, List.of(KEY)));
        lock(other, locks, LockRequest.of(mode, List.of(second)));
        Step<LockResult> waits =
                startLock(other, locks, LockRequest.of(mode, List.of(KEY))).awaitBlockedBy(one);
        Throwable failure =
                startLock(one, locks, LockRequest.of(mode, List.of(second))).failure();
        assertThat(failure)
                .isInstanceOf(LockDeadlockException.class)
                .hasMessageContaining(advice.replace(';', ','))
                .hasMessageNotContaining("strategy ROW.");
        one.rollback();
        waits.get();
    }

    @ParameterizedTest
    @ValueSource(strings = {"update account set balance = 1 where id = 1", "insert into entry values (1)"})
    void rowDoesNot(String write, Session writer, Session locker) throws Exception {
        RowLocks locks = locks(LockStrategy.ROW);
        writer.execute(write);
        Step<LockResult> second = startLock(locker, locks, forUpdate(KEY)).awaitBlockedBy(writer);
        lock(writer, locks, forUpdate(KEY));
        writer.commit();
        assertThat(Held.of(second.get())).isEqualTo(Held.ROW_LOCKED);
    }
}
