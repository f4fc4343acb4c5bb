package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import com.zaxxer.hikari.HikariDataSource;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TestDatabase;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Checks that early release applies only to transactions of a RowLockTransactionManager that have locked. */
class EarlyReleaseTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    @EnableRowLocks
    static class Enabled {}

    /**
     * Returns the setting that an early commit leaves in its session. The pool gives this thread the same session
     * again.
     */
    private static @Nullable String kept(JdbcTemplate jdbc) {
        return jdbc.queryForObject("select nullif(current_setting('rowlock.commit', true), '')", String.class);
    }

    private void run(
            Function<DataSource, PlatformTransactionManager> manager,
            LockRelease release,
            boolean locking,
            boolean early) {
        HikariDataSource pool = Contexts.pool(database);
        var context = new TestContext();
        context.registerBean(DataSource.class, () -> pool);
        context.registerBean(
                RowLocks.class, () -> LockAccess.builder().release(release).build());
        context.registerBean(PlatformTransactionManager.class, () -> manager.apply(pool));
        context.register(Enabled.class);
        context.refresh();
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        context.inTransaction(status -> {
            if (locking) {
                context.template().lock(forNoKeyUpdate(LockKey.row("account", 1)));
            }
            jdbc.update("update account set balance = balance + 1 where id = 1");
        });
        assertThat(jdbc.queryForObject("select balance from account", Integer.class))
                .isEqualTo(1);
        assertThat(kept(jdbc) != null).isEqualTo(early);
    }

    @Test
    void aTransactionThatHasLockedReleasesEarly() {
        run(RowLockTransactionManager::new, LockRelease.EARLY, true, true);
    }

    @Test
    void aTransactionThatHasNotLockedDoesNot() {
        run(RowLockTransactionManager::new, LockRelease.EARLY, false, false);
    }

    @Test
    void norOneOfAnotherTransactionManagerOrConfiguration() {
        run(RowLockTransactionManager::new, LockRelease.PLAIN, true, false);
        RowLockTests.execute(database, "update account set balance = 0");
        run(JdbcTransactionManager::new, LockRelease.EARLY, true, false);
    }
}
