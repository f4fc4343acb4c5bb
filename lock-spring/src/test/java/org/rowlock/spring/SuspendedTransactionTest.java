package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forShare;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.testing.TestDatabase;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction does not wait for the one of its own thread that it has suspended. */
class SuspendedTransactionTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    @Test
    void aRowThatTheSuspendedTransactionHoldsIsRefused() {
        try (var context = Contexts.start(database, Contexts.Base.class)) {
            RowLockTemplate locks = context.getBean(RowLockTemplate.class);
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            TransactionTemplate outer = new TransactionTemplate(manager);
            TransactionTemplate inner = new TransactionTemplate(manager);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            LockRequest row = forNoKeyUpdate(LockKey.row("account", 1));
            outer.executeWithoutResult(status -> {
                assertThat(locks.lock(row).isHeld()).isTrue();
                assertThatThrownBy(() -> inner.executeWithoutResult(own -> locks.lock(row)))
                        .isInstanceOf(InvalidDataAccessApiUsageException.class)
                        .hasMessageContaining("REQUIRES_NEW");
                inner.executeWithoutResult(own -> assertThat(locks.lock(forNoKeyUpdate(LockKey.row("account", 2)))
                                .isHeld())
                        .isTrue());
            });
            outer.executeWithoutResult(status -> {
                LockRequest shared = forShare(LockKey.row("account", 1));
                assertThat(locks.lock(shared).isHeld()).isTrue();
                inner.executeWithoutResult(
                        own -> assertThat(locks.lock(shared).isHeld()).isTrue());
            });
        }
    }
}
