package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forUpdate;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

/**
 * Checks {@code @Retryable} of spring-retry, which Spring Boot 3 supports. Each attempt is a separate call, with its
 * own queueing, transaction and lock.
 */
@Tag("long")
class RetryTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    @EnableRetry
    static class Retries {}

    /** The actions of the test in each attempt. */
    static class Attempts {
        final AtomicInteger count = new AtomicInteger();
        Runnable first = () -> {};

        void begin() {
            if (count.incrementAndGet() == 1) {
                first.run();
            }
        }
    }

    static class Accounts {
        @Autowired
        JdbcTemplate jdbc;

        @Autowired
        RowLockTemplate locks;

        @Autowired
        Attempts attempts;

        // snippet: retryable
        @Retryable(
                retryFor = PessimisticLockingFailureException.class,
                maxAttempts = 4,
                backoff = @Backoff(delay = 50, multiplier = 2, random = true))
        @Transactional
        public void move(@RowLock("account") long from, long to, long amount) {
            add(from, -amount);
            attempts.begin();
            locks.lock(forNoKeyUpdate(LockKey.row("account", to))); // a second call, so two transactions can deadlock
            add(to, amount);
        }
        // end

        private void add(long id, long amount) {
            jdbc.update("update account set balance = balance + ? where id = ?", amount, id);
        }
    }

    /** The service is the victim, because its deadlock check runs early, and only after bob waits. */
    @Test
    void theVictimOfADeadlockIsRunAgainAndDoneOnce() throws Exception {
        var context = Contexts.start(database, Retries.class, Attempts.class, Accounts.class);
        Accounts accounts = context.getBean(Accounts.class);
        Attempts attempts = context.getBean(Attempts.class);
        RowLocks locks = LockAccess.builder().build();
        Session bob = database.session("bob");
        bob.execute("set deadlock_timeout = '60s'");
        bob.run(c -> locks.in(c).lock(forUpdate(LockKey.row("account", 2))));
        CompletableFuture<Step<LockResult>> bobs = new CompletableFuture<>();
        attempts.first = () -> {
            context.getBean(JdbcTemplate.class).execute("set local deadlock_timeout = '20ms'");
            bobs.complete(bob.start(c -> locks.in(c).lock(forUpdate(LockKey.row("account", 1)))));
            Blocking.awaitWaiting(database.dataSource(), bob.pid());
        };

        CompletableFuture<Void> call = Blocking.run(() -> accounts.move(1, 2, 5));
        assertThat(TestDatabase.result(bobs).get().isHeld())
                .as("the victim lets go of its rows before it tries again")
                .isTrue();
        bob.commit();
        TestDatabase.result(call);

        assertThat(attempts.count).hasValue(2);
        assertThat(database.query("select string_agg(balance::text, ' ' order by id) from account"))
                .isEqualTo("-5 5");
    }

    @Test
    void whatIsNoConflictIsNotRunAgain() {
        var context = Contexts.start(database, Retries.class, Attempts.class, Accounts.class);
        Accounts accounts = context.getBean(Accounts.class);
        Attempts attempts = context.getBean(Attempts.class);
        attempts.first = () -> {
            throw new IllegalStateException("no money");
        };
        assertThatThrownBy(() -> accounts.move(1, 2, 5)).hasMessage("no money");
        assertThat(attempts.count).hasValue(1);
    }
}
