package org.rowlock.spring.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.spring.Account;
import org.rowlock.spring.Blocking;
import org.rowlock.spring.Contexts;
import org.rowlock.spring.RowLockTemplate;
import org.rowlock.spring.TestContext;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.transaction.support.TransactionTemplate;

/** Checks that Rowlock throws the exceptions that a Hibernate application already catches and retries. */
class MigratedExceptionsTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    private TestContext context;
    private EntityManager entities;
    private RowLockTemplate template;
    private TransactionTemplate transaction;

    @BeforeEach
    void start() {
        context = Contexts.jpa(database, new JpaTransactions.Unit(Account.class));
        entities = context.entities();
        template = context.template();
        transaction = context.transactions();
    }

    /** Translates an exception as the proxies of repositories do. */
    private Class<?> translated(Throwable failure) {
        PersistenceExceptionTranslator translator = context.getBean(LocalContainerEntityManagerFactoryBean.class);
        Throwable spring =
                failure instanceof RuntimeException runtime ? translator.translateExceptionIfPossible(runtime) : null;
        return (spring == null ? failure : spring).getClass();
    }

    private void withHibernate(long id) {
        entities.find(Account.class, id, LockModeType.PESSIMISTIC_WRITE);
    }

    private Class<?> deadlock(Consumer<Long> lock) throws Exception {
        Session other = database.session("other");
        other.execute("set deadlock_timeout = '1h'");
        other.execute("update account set balance = balance + 1 where id = 2");
        CompletableFuture<Throwable> victim = new CompletableFuture<>();
        Blocking.NEW_THREAD.execute(() ->
                victim.complete(catchThrowable(() -> transaction.executeWithoutResult(status -> {
                    lock.accept(1L);
                    var step = other.startExecute("update account set balance = balance + 1 where id = 1");
                    try {
                        lock.accept(2L);
                    } finally {
                        status.setRollbackOnly();
                    }
                    assertThat(step.isDone()).isFalse();
                }))));
        Class<?> type = translated(TestDatabase.result(victim));
        other.rollback();
        return type;
    }

    @Test
    void aDeadlock() throws Exception {
        assertThat(deadlock(this::withHibernate)).isEqualTo(CannotAcquireLockException.class);
        assertThat(deadlock(id -> template.lock(forNoKeyUpdate(LockKey.row("account", id)))))
                .isEqualTo(CannotAcquireLockException.class);
    }

    @Test
    void aLockThatIsTakenAndNoWait() throws Exception {
        Session other = database.session("other");
        other.execute("select 1 from account where id = 1 for no key update");
        Class<?> ofHibernate = translated(catchThrowable(() -> transaction.executeWithoutResult(status -> entities.find(
                Account.class, 1L, LockModeType.PESSIMISTIC_WRITE, Map.of("jakarta.persistence.lock.timeout", 0)))));
        assertThat(ofHibernate)
                .as("whoever catches Hibernate's catches Rowlock's")
                .isAssignableFrom(CannotAcquireLockException.class);
        assertThat(translated(catchThrowable(() -> transaction.executeWithoutResult(status ->
                        template.lock(forNoKeyUpdate(LockKey.row("account", 1)).noWait())))))
                .isEqualTo(CannotAcquireLockException.class);
    }

    @Test
    void aConnectionThatIsLostInTheCommitIsALostConnectionLikeAnyOther() throws Exception {
        database.execute(
                "create function lose() returns trigger language plpgsql as"
                        + " $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$",
                "create constraint trigger lose after update on account deferrable initially deferred"
                        + " for each row execute function lose()");
        JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    template.lock(forNoKeyUpdate(LockKey.row("account", 1)));
                    jdbc.update("update account set balance = balance + 1 where id = 1");
                }))
                .isInstanceOf(DataAccessResourceFailureException.class);
        assertThat(database.query("select sum(balance) from account")).isEqualTo("0");
    }
}
