package org.rowlock;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** A handover works with session locks; those that the caller has are not its business. */
class OwnSessionLockTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void survivesAHandover(boolean succeeds) throws Exception {
        RowLocks locks = RowLocks.create();
        Session alice = database.session("alice");
        Session bob = database.session("bob");
        alice.execute("select pg_advisory_lock(777)");
        alice.commit();
        alice.connection().setTransactionIsolation(4);
        if (!succeeds) {
            bob.run(c -> locks.in(c).lock(forUpdate(LockKey.number(5))));
        }
        for (LockWait wait : List.of(LockWait.noWait(), LockWait.atMost(ofMillis(30)))) {
            assertThat((boolean) alice.run(c -> locks.in(c)
                            .tryLock(forUpdate(List.of(LockKey.number(5), LockKey.number(777)))
                                    .waiting(wait))
                            .isLocked()))
                    .isEqualTo(succeeds);
            alice.rollback();
            assertThat((boolean) bob.run(c ->
                            locks.in(c).tryLock(forUpdate(LockKey.number(777))).isLocked()))
                    .isFalse();
        }
        bob.rollback();
        alice.execute("select pg_advisory_unlock(777)");
        alice.rollback();
        assertThat((boolean) bob.run(
                        c -> locks.in(c).tryLock(forUpdate(LockKey.number(777))).isLocked()))
                .isTrue();
        assertThat((boolean) bob.run(
                        c -> locks.in(c).tryLock(forUpdate(LockKey.number(5))).isLocked()))
                .isTrue();
    }

    /** The lock of the transaction is taken beside it. */
    @Test
    void mayBeLetGoOfInTheTransaction() throws Exception {
        RowLocks locks = RowLocks.create();
        Session alice = database.session("alice");
        Session bob = database.session("bob");
        alice.execute("select pg_advisory_lock(777)");
        alice.commit();
        alice.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        alice.run(c -> locks.in(c).lock(forUpdate(List.of(LockKey.number(5), LockKey.number(777)))));
        alice.execute("select pg_advisory_unlock(777)");
        assertThat((boolean) bob.run(
                        c -> locks.in(c).tryLock(forUpdate(LockKey.number(777))).isLocked()))
                .isFalse();
        bob.rollback();
        alice.commit();
        assertThat((boolean) bob.run(
                        c -> locks.in(c).tryLock(forUpdate(LockKey.number(777))).isLocked()))
                .isTrue();
    }
}
