package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitWrite;
import org.rowlock.LockKey;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.IncorrectUpdateSemanticsDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.HeuristicCompletionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Checks the writes that the transaction sends at its end, with the COMMIT or directly before the COMMIT. In both
 * cases, either all writes are stored or none.
 */
@Tag("long")
class AtCommitTest {
    private static final String ADD = "update account set balance = balance + ? where id = ?";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            3, "create table entry(account int references account deferrable initially deferred)");

    enum Manager {
        /** The manager sends the writes directly before the COMMIT. */
        BEFORE(JdbcTransactionManager::new),
        /** The manager sends the writes with the COMMIT. */
        WITH(RowLockTransactionManager::new);

        private final Function<DataSource, PlatformTransactionManager> of;

        Manager(Function<DataSource, PlatformTransactionManager> of) {
            this.of = of;
        }
    }

    private final class Application {
        final TestContext context;
        final RowLockTemplate template;
        final JdbcTemplate jdbc;

        Application(PGSimpleDataSource server, Manager manager) {
            HikariDataSource pool = Contexts.pool(server);
            Consumer<TestContext> beans = context -> {
                context.registerBean(DataSource.class, () -> pool);
                context.registerBean(JdbcTemplate.class, () -> new JdbcTemplate(pool));
                context.registerBean(PlatformTransactionManager.class, () -> manager.of.apply(pool));
            };
            context = RowLockTests.start(database, beans, Contexts.Base.class);
            template = context.template();
            jdbc = context.getBean(JdbcTemplate.class);
        }

        void run(Consumer<RowLockTemplate> work) {
            context.inTransaction(status -> work.accept(template));
        }

        int balance(int id) {
            Integer balance = jdbc.queryForObject("select balance from account where id = ?", Integer.class, id);
            return balance == null ? -1 : balance;
        }
    }

    private Application start(Manager manager) {
        return new Application(database.dataSource(), manager);
    }

    @ParameterizedTest
    @EnumSource
    void theyAreStoredWithTheTransaction(Manager manager) {
        Application application = start(manager);
        List<CommitWrite> writes = new ArrayList<>();
        application.template.inTransaction(forNoKeyUpdate(LockKey.row("account", 1)), () -> {
            application.jdbc.update("update account set balance = 5 where id = 1");
            writes.add(application.template.atCommit().add(ADD, 1, 1).expectOneRow());
            writes.add(application.template.atCommit().add("insert into entry values (?)", 1));
            assertThat(application.balance(1)).isEqualTo(5);
            assertThatIllegalStateException().isThrownBy(() -> writes.get(0).count());
            return null;
        });
        assertThat(application.balance(1)).isEqualTo(6);
        assertThat(writes).allSatisfy(write -> assertThat(write.count()).isOne());
    }

    /** The example in the documentation. */
    @ParameterizedTest
    @EnumSource
    void aPayment(Manager manager) {
        Application application = start(manager);
        RowLockTemplate template = application.template;
        long amount = -5;
        long id = 1;
        template.inTransaction(forNoKeyUpdate(LockKey.row("account", id)), () -> {
            // snippet: at-commit
            template.atCommit()
                    .add("update account set balance = balance - ? where id = ?", amount, id)
                    .expectOneRow();
            template.atCommit().add("insert into entry (account) values (?)", id);
            // end
            return null;
        });
        assertThat(application.balance(1)).isEqualTo(5);
        Integer entries = application.jdbc.queryForObject("select count(*)::int from entry", Integer.class);
        assertThat(entries).isOne();
    }

    @ParameterizedTest
    @EnumSource
    void whatFailsStoresNothing(Manager manager) {
        Application application = start(manager);
        assertThatThrownBy(() -> application.run(template -> {
                    application.jdbc.update("update account set balance = 5 where id = 2");
                    template.atCommit().add(ADD, 1, 1).expectOneRow();
                    template.atCommit().add(ADD, 1, 77).expectOneRow();
                }))
                .isInstanceOf(IncorrectUpdateSemanticsDataAccessException.class)
                .hasCauseInstanceOf(UnexpectedRowCountException.class);
        assertThatThrownBy(() -> application.run(template -> {
                    template.atCommit().add(ADD, 1, 1);
                    template.atCommit().add("insert into account values (?)", 1);
                }))
                .isInstanceOf(DataIntegrityViolationException.class);
        assertThatThrownBy(() -> application.run(template -> {
                    template.atCommit().add(ADD, 1, 1);
                    template.atCommit().add("insert into entry values (?)", 77);
                }))
                .isInstanceOf(DataIntegrityViolationException.class);
        assertThatThrownBy(() -> application.run(template -> template.atCommit().add(ADD, 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(application.balance(1)).isZero();
        assertThat(application.balance(2)).isZero();
        // The connections of the pool still work.
        application.run(template -> template.atCommit().add(ADD, 1, 1));
        assertThat(application.balance(1)).isOne();
    }

    @ParameterizedTest
    @EnumSource
    void theyFollowTheTransactionThatTheyBelongTo(Manager manager) {
        Application application = start(manager);
        TransactionTemplate outer = application.context.transactions(Propagation.REQUIRED);
        TransactionTemplate nested = application.context.transactions(Propagation.NESTED);
        TransactionTemplate other = application.context.transactions(Propagation.REQUIRES_NEW);
        RowLockTemplate template = application.template;
        outer.executeWithoutResult(status -> {
            template.atCommit().add(ADD, 1, 1);
            nested.executeWithoutResult(inner -> template.atCommit().add(ADD, 10, 1));
            nested.executeWithoutResult(inner -> {
                template.atCommit().add(ADD, 100, 1);
                inner.setRollbackOnly();
            });
            other.executeWithoutResult(inner -> template.atCommit().add(ADD, 7, 2));
            assertThat(application.balance(2)).isEqualTo(7);
            outer.executeWithoutResult(inner -> template.atCommit().add(ADD, 1000, 1));
            assertThat(application.balance(1)).isZero();
        });
        assertThat(application.balance(1)).isEqualTo(1011);
        outer.executeWithoutResult(status -> {
            nested.executeWithoutResult(inner -> {
                template.atCommit().add(ADD, 1, 3);
                inner.setRollbackOnly();
            });
        });
        outer.executeWithoutResult(status -> {
            template.atCommit().add(ADD, 1, 3);
            status.setRollbackOnly();
        });
        assertThat(application.balance(3)).isZero();
    }

    /** Writes of other synchronizations before the commit are sent before the writes of atCommit(). */
    @Test
    void theyComeLastWhereTheManagerIsOurs() {
        Application application = start(Manager.WITH);
        application.run(template -> {
            template.atCommit().add("update account set balance = balance * 2 where id = 1");
            TestContext.beforeCommit(() -> application.jdbc.update(ADD, 3, 1));
        });
        assertThat(application.balance(1)).isEqualTo(6);
    }

    @Test
    void theyGoWithTheCommitWhereTheManagerIsOurs() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(database.dataSource())) {
            for (boolean with : List.of(false, true)) {
                Application application =
                        new Application(proxy.through(database.dataSource()), with ? Manager.WITH : Manager.BEFORE);
                proxy.cutBefore("update account");
                Throwable failure = catchThrowable(() -> application.run(template -> {
                    template.lock(forNoKeyUpdate(LockKey.row("account", 1)));
                    template.atCommit().add(ADD, 1, 1).expectOneRow();
                }));
                // If the connection closes before the COMMIT is sent, nothing is stored. If the connection closes
                // during the flush with the COMMIT, the outcome is unknown.
                assertThat(failure)
                        .isNotNull()
                        .satisfies(e -> assertThat(e instanceof HeuristicCompletionException)
                                .isEqualTo(with));
                assertThat(application.balance(1)).isZero();
            }
            assertThat(proxy.cuts()).isEqualTo(2);
        }
    }

    @Test
    void withoutAWritingTransactionThereAreNone() {
        Application application = start(Manager.WITH);
        assertMisuse(application.template::atCommit);
        TransactionTemplate readOnly = application.context.transactions(Propagation.REQUIRED);
        readOnly.setReadOnly(true);
        assertMisuse(() -> readOnly.executeWithoutResult(status -> application.template.atCommit()));
        // A transaction that does not call atCommit() commits as usual.
        application.run(template -> application.jdbc.update(ADD, 4, 1));
        assertThat(application.balance(1)).isEqualTo(4);
    }
}
