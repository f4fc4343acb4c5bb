package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.testing.TestDatabase;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Checks that an absent row is not locked, and is not reported as locked. */
class AbsentRowTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    static class Accounts {
        private int ran;

        @Transactional
        public void change(@RowLock("account") int id) {
            ran++;
        }

        @Transactional
        public void changeAll(@RowLock("account") List<Integer> ids) {
            ran++;
        }

        @Transactional
        public void create(@RowLock(value = "account", required = false) int id) {
            ran++;
        }

        @Transactional
        public Optional<Integer> find(@RowLock("account") int id) {
            ran++;
            return Optional.of(id);
        }

        @Transactional
        @RowLock(table = "account", id = "#id")
        @RowLock(table = "account", id = "#or", required = false)
        public void either(int id, int or) {
            ran++;
        }

        public int ran() {
            return ran;
        }
    }

    private TestContext start(LockStrategy strategy) {
        return Contexts.start(database, strategy, Accounts.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "BOTH"})
    void theMethodDoesNotRunUnlessItSaysThatTheRowMayBeMissing(LockStrategy strategy) {
        Accounts accounts = start(strategy).getBean(Accounts.class);
        assertThatThrownBy(() -> accounts.change(7))
                .isInstanceOf(EmptyResultDataAccessException.class)
                .hasMessageContainingAll("Accounts.change(int)", "account[7] does not exist", "required = false");
        assertThatThrownBy(() -> accounts.changeAll(List.of(1, 7, 8)))
                .isInstanceOf(EmptyResultDataAccessException.class)
                .hasMessageContaining("2 of the rows, such as account[7], do not exist");
        assertThatThrownBy(() -> accounts.either(7, 1)).isInstanceOf(EmptyResultDataAccessException.class);
        assertThat(accounts.ran()).isZero();
        accounts.change(1);
        accounts.create(7);
        accounts.either(1, 7);
        assertThat(accounts.find(7)).contains(7);
        assertThat(accounts.ran()).isEqualTo(4);
    }

    /** With ADVISORY, no statement looks for the row. */
    @Test
    void withAdvisoryTheKeyIsLocked() {
        Accounts accounts = start(LockStrategy.ADVISORY).getBean(Accounts.class);
        accounts.change(7);
        assertThat(accounts.ran()).isOne();
    }

    /**
     * A request for a lock is no proof, because the row may be absent. Code that needs a lock checks that the
     * transaction holds the lock.
     */
    @Test
    void whatIsHeldIsProvenByTheTransaction() {
        var context = start(LockStrategy.ROW);
        RowLockTemplate template = context.template();
        LockKey one = LockKey.row("account", 1);
        LockKey absent = LockKey.row("account", 7);
        assertMisuse(() -> template.requireLocked(one)).hasMessageContaining("no transaction");
        context.inTransaction(status -> {
            assertMisuse(() -> template.requireLocked(one)).hasMessageContaining("has not locked account[1],");
            assertThat(template.lock(forNoKeyUpdate(List.of(one, absent)).allowAbsent())
                            .isHeld())
                    .isFalse();
            template.requireLocked(one);
            assertMisuse(() -> template.requireLocked(absent));
            context.transactions(Propagation.NESTED).executeWithoutResult(inner -> {
                template.lock(forNoKeyUpdate(LockKey.row("account", 2)));
                template.requireLocked(LockKey.row("account", 2));
                inner.setRollbackOnly();
            });
            assertThatThrownBy(() -> template.requireLocked(LockKey.row("account", 2)))
                    .as("a rollback to a savepoint gave it back")
                    .isInstanceOf(InvalidDataAccessApiUsageException.class);
        });
    }
}
