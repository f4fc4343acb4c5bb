package org.rowlock.spring.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.spring.Blocking;
import org.rowlock.spring.Contexts;
import org.rowlock.spring.RowLockTests;
import org.rowlock.spring.TestContext;
import org.rowlock.spring.TestSettings;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/** Checks that the lock and the library's statements use one connection, and that the library reads after the lock. */
abstract class LibraryContract {
    private static final IntConsumer NOTHING = backend -> {};

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    private final Class<?> library;

    /** @param library a configuration with an {@link AccountStore} and a transaction manager */
    LibraryContract(Class<?> library) {
        this.library = library;
    }

    @ParameterizedTest
    @EnumSource
    void aSecondCallWaitsOnItsOwnConnectionAndReadsWhatTheFirstWrote(LockStrategy strategy) throws Exception {
        AccountService accounts = start(strategy, false).getBean(AccountService.class);
        AtomicReference<CompletableFuture<Integer>> second = new AtomicReference<>();
        AtomicInteger waiting = new AtomicInteger();
        accounts.add(1, 1, backend -> {
            second.set(Threads.start(() -> accounts.add(1, 10, NOTHING)));
            waiting.set(Blocking.awaitWaiterBehind(database.dataSource(), backend));
        });
        assertThat(TestDatabase.result(second.get()))
                .as("the server process that waited for the lock, and that of the library's statements")
                .isEqualTo(waiting.get());
        assertThat(balance(1)).isEqualTo(11);
    }

    /** The control: without the lock, the schedule loses an update. */
    @Test
    void withoutTheLockAnUpdateIsLost() throws Exception {
        AccountService accounts = start(LockStrategy.ADVISORY, false).getBean(AccountService.class);
        accounts.addUnlocked(
                1,
                1,
                backend ->
                        Blocking.run(() -> accounts.addUnlocked(1, 10, NOTHING)).join());
        assertThat(balance(1)).isEqualTo(1);
    }

    @Test
    void noUpdateIsLostAmongThreads() throws Exception {
        int threads = 6;
        int calls = 20;
        var context = start(LockStrategy.ADVISORY, true);
        AccountService accounts = context.getBean(AccountService.class);
        Threads.run(threads, number -> {
            for (int call = 0; call < calls; call++) {
                accounts.add(1 + call % 2, 1, NOTHING);
            }
        });
        assertThat(balance(1)).isEqualTo(threads * calls / 2);
        assertThat(balance(2)).isEqualTo(threads * calls / 2);
        assertThat(context.queues().keysInUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void anExceptionRollsBackAndLeavesNothingLocked(LockStrategy strategy) throws Exception {
        var context = start(strategy, true);
        AccountService accounts = context.getBean(AccountService.class);
        assertThatThrownBy(() -> accounts.add(1, 1, backend -> {
                    throw new IllegalStateException("out of stock");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("out of stock");
        assertThat(balance(1)).isZero();
        assertThat(context.queues().keysInUse()).isZero();
        accounts.add(1, 1, NOTHING);
        assertThat(balance(1)).isEqualTo(1);
    }

    final TestContext start(LockStrategy strategy, boolean admission) {
        HikariDataSource pool = Contexts.pool(database);
        pool.setMaximumPoolSize(6);
        return RowLockTests.start(
                database,
                beans -> {
                    beans.registerBean("dataSource", DataSource.class, () -> pool);
                    Contexts.locks(beans, strategy);
                    Contexts.settings(beans, new TestSettings().admission(admission));
                },
                library,
                AccountService.class);
    }

    private long balance(long id) throws SQLException {
        return Long.parseLong(database.query("select balance from account where id = " + id));
    }
}
