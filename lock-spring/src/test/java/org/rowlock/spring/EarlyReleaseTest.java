package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The transactions of a RowLockTransactionManager that have locked let go of the locks early, and no others. */
class EarlyReleaseTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    @Configuration(proxyBeanMethods = false)
    @EnableRowLocks
    static class Base {}

    @Configuration(proxyBeanMethods = false)
    static class Early {
        @Bean
        RowLocks rowLocks() {
            return LockAccess.builder().release(LockRelease.EARLY).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Plain {}

    @Configuration(proxyBeanMethods = false)
    static class Own {
        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new RowLockTransactionManager(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Springs {
        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    /** What the last early commit of this thread has left in the session, which the pool gives to it again. */
    private static @Nullable String kept(JdbcTemplate jdbc) {
        return jdbc.queryForObject("select nullif(current_setting('rowlock.commit', true), '')", String.class);
    }

    private void run(Class<?> manager, Class<?> locks, boolean locking, boolean early) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(DataSource.class, () -> Contexts.pool(database));
            context.registerBean(JdbcTemplate.class, () -> new JdbcTemplate(context.getBean(DataSource.class)));
            context.register(manager, locks, Base.class);
            context.refresh();
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            RowLockTemplate template = context.getBean(RowLockTemplate.class);
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                if (locking) {
                    template.lock(forNoKeyUpdate(LockKey.row("account", 1)));
                }
                jdbc.update("update account set balance = balance + 1 where id = 1");
            });
            assertThat(jdbc.queryForObject("select balance from account", Integer.class))
                    .isEqualTo(1);
            if (early) {
                assertThat(kept(jdbc)).isNotNull();
            } else {
                assertThat(kept(jdbc)).isNull();
            }
        }
    }

    @Test
    void aTransactionThatHasLockedReleasesEarly() {
        run(Own.class, Early.class, true, true);
    }

    @Test
    void aTransactionThatHasNotLockedDoesNot() {
        run(Own.class, Early.class, false, false);
    }

    @ParameterizedTest
    @ValueSource(classes = {Plain.class, Early.class})
    void norOneOfAnotherTransactionManagerOrConfiguration(Class<?> locks) {
        run(locks == Plain.class ? Own.class : Springs.class, locks, true, false);
    }
}
