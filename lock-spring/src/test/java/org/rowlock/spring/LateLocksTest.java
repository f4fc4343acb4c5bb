package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.internal.call.CommitListener;
import org.rowlock.spring.libraries.JpaTransactions;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Checks locks and writes that are requested directly before the commit, as an outbox does. */
class LateLocksTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1, "create table outbox (id int primary key)");

    private static final String STORED = "select string_agg(id::text, ',' order by id) from outbox";

    enum Manager {
        JDBC,
        JPA,
        ROWLOCK
    }

    static class Orders {
        @Autowired
        ApplicationEventPublisher events;

        @Transactional
        public void ship(Consumer<RowLockTemplate> late) {
            events.publishEvent(new Shipped(late));
        }
    }

    record Shipped(Consumer<RowLockTemplate> late) {}

    static class Outbox {
        @Autowired
        RowLockTemplate template;

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        public void on(Shipped shipped) {
            shipped.late().accept(template);
        }
    }

    private TestContext start(Manager manager) {
        return start(
                manager,
                dataSource -> manager == Manager.JDBC
                        ? new JdbcTransactionManager(dataSource)
                        : new RowLockTransactionManager(dataSource));
    }

    private TestContext start(Manager manager, Function<DataSource, PlatformTransactionManager> ofJdbc) {
        return RowLockTests.start(
                database,
                beans -> {
                    beans.registerBean("dataSource", DataSource.class, () -> Contexts.pool(database));
                    beans.registerBean(JdbcTemplate.class, () -> new JdbcTemplate(beans.getBean(DataSource.class)));
                    if (manager == Manager.JPA) {
                        beans.registerBean(Unit.class, () -> new Unit(Account.class));
                    } else {
                        beans.registerBean(
                                PlatformTransactionManager.class, () -> ofJdbc.apply(beans.getBean(DataSource.class)));
                    }
                },
                manager == Manager.JPA ? JpaTransactions.class : Contexts.Base.class,
                Orders.class,
                Outbox.class);
    }

    private String stored() throws Exception {
        return database.query(STORED);
    }

    @ParameterizedTest
    @EnumSource
    void whatAnOutboxPromisesBeforeTheCommitIsStored(Manager manager) throws Exception {
        Orders orders = start(manager).getBean(Orders.class);
        orders.ship(template ->
                template.atCommit().add("insert into outbox values (1)").expectOneRow());
        orders.ship(template -> template.inTransaction(
                forNoKeyUpdate(LockKey.row("account", 1)),
                () -> template.atCommit().add("insert into outbox values (2)")));
        assertThat(stored()).isEqualTo("1,2");
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotBeStoredThenFailsTheCommit(Manager manager) throws Exception {
        var context = start(manager);
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        assertThatThrownBy(() -> context.getBean(Orders.class).ship(template -> {
                    jdbc.update("insert into outbox values (1)");
                    template.atCommit().add("insert into outbox values (1)");
                }))
                .isInstanceOf(DataIntegrityViolationException.class);
        assertThat(stored()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void aFirstLockThenIsWatchedForASilentRollback(Manager manager) throws Exception {
        var context = start(manager);
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        assertMisuse(() -> context.getBean(Orders.class).ship(template -> {
                    template.lock(forNoKeyUpdate(LockKey.row("account", 1)));
                    jdbc.update("insert into outbox values (1)");
                    swallow(() -> jdbc.update("insert into outbox values (1)"));
                }))
                .hasMessageContaining("Nothing of the work of the transaction is stored");
        assertThat(stored()).isNull();
    }

    private static void swallow(Runnable work) {
        try {
            work.run();
        } catch (DataAccessException e) {
            assertThat(e).isInstanceOf(DataIntegrityViolationException.class);
        }
    }

    /** In every phase of the commit, a write is either stored or rejected. */
    @ParameterizedTest
    @EnumSource
    void inNoPhaseIsAPromiseForgotten(Manager manager) throws Exception {
        var context = start(manager);
        RowLockTemplate template = context.template();
        List<Boolean> refused = new ArrayList<>();
        context.inTransaction(status -> TransactionSynchronizationManager.registerSynchronization(
                new Phases(phase -> refused.add(isRefused(template, phase)))));
        assertThat(refused).containsExactly(false, false, true, true);
        assertThat(stored()).isEqualTo("0,1");
    }

    private static boolean isRefused(RowLockTemplate template, int phase) {
        try {
            template.atCommit().add("insert into outbox values (?)", phase);
            return false;
        } catch (InvalidDataAccessApiUsageException e) {
            assertThat(e).hasMessageContaining("REQUIRES_NEW");
            return true;
        }
    }

    /** Calls the consumer in each phase of the commit, with the number of the phase. */
    private record Phases(Consumer<Integer> each) implements TransactionSynchronization {
        @Override
        public void beforeCommit(boolean readOnly) {
            each.accept(0);
        }

        @Override
        public void beforeCompletion() {
            each.accept(1);
        }

        @Override
        public void afterCommit() {
            each.accept(2);
        }

        @Override
        public void afterCompletion(int status) {
            each.accept(3);
        }
    }

    /** Writes of the outer transaction still belong to the outer transaction after the inner transactions. */
    @ParameterizedTest
    @EnumSource
    void eachTransactionHasItsOwn(Manager manager) throws Exception {
        var context = start(manager);
        RowLockTemplate template = context.template();
        TransactionTemplate inner = context.transactions(Propagation.REQUIRES_NEW);
        context.getBean(Orders.class).ship(late -> {
            late.atCommit().add("insert into outbox values (1)");
            inner.executeWithoutResult(status -> {
                template.atCommit().add("insert into outbox values (2)");
                status.setRollbackOnly();
            });
            inner.executeWithoutResult(status -> template.atCommit().add("insert into outbox values (3)"));
        });
        assertThat(stored()).isEqualTo("1,3");
    }

    /** The manager is not a bean, so Rowlock is not notified of its commits. */
    @Test
    void aTransactionManagerThatRowlockDoesNotKnowIsRefusedForThem() throws Exception {
        var context = start(Manager.JDBC);
        RowLockTemplate template = context.template();
        JdbcTransactionManager unknown = new JdbcTransactionManager(context.getBean(DataSource.class));
        assertMisuse(() -> new TransactionTemplate(unknown).executeWithoutResult(status -> template.atCommit()))
                .hasMessageContaining("bean");
        new TransactionTemplate(unknown)
                .executeWithoutResult(status -> template.lock(forNoKeyUpdate(LockKey.row("account", 1))));
        RowLockTemplate known =
                new RowLockTemplate(context.getBean(SpringLocks.class), unknown, context.getBean(DataSource.class));
        known.inTransaction(
                forNoKeyUpdate(LockKey.row("account", 1)),
                () -> known.atCommit().add("insert into outbox values (1)"));
        assertThat(stored()).isEqualTo("1");
    }

    /**
     * Spring has bound a connection of the other DataSource only for a statement. No COMMIT is sent on that connection.
     */
    @ParameterizedTest
    @EnumSource
    void inADataSourceThatTheManagerDoesNotCommitNothingIsPromised(Manager manager) throws Exception {
        var context = start(manager);
        HikariDataSource other = Contexts.pool(database);
        RowLockTemplate ofOther =
                new RowLockTemplate(context.getBean(SpringLocks.class), new JdbcTransactionManager(other), other);
        assertMisuse(() -> context.getBean(Orders.class).ship(template -> {
                    template.atCommit().add("insert into outbox values (1)");
                    new JdbcTemplate(other).queryForList("select 1");
                    ofOther.atCommit().add("insert into outbox values (2)");
                }))
                .hasMessageContaining("is not one of");
        assertThat(stored()).isNull();
    }

    /**
     * Each write is sent once, with the transaction in which the write was added, although both transactions share
     * their synchronizations.
     */
    @ParameterizedTest
    @EnumSource
    void aTransactionOfAnotherDataSourceInsideHasItsOwn(Manager manager) throws Exception {
        var context = start(manager);
        HikariDataSource other = Contexts.pool(database);
        RowLockTemplate template = context.template();
        RowLockTemplate ofOther =
                new RowLockTemplate(context.getBean(SpringLocks.class), new RowLockTransactionManager(other), other);
        LockKey account = LockKey.row("account", 1);
        context.inTransaction(status -> {
            template.atCommit().add("insert into outbox values (1)");
            for (int id = 2; id <= 3; id++) {
                int each = id;
                ofOther.inTransaction(
                        forNoKeyUpdate(account), () -> ofOther.atCommit().add("insert into outbox values (?)", each));
                assertThat(RowLockTests.isFree(other, account)).isTrue();
            }
            template.atCommit().add("insert into outbox values (4)");
            assertThat(RowLockTests.query(database, STORED)).isEqualTo("2,3");
        });
        assertThat(stored()).isEqualTo("1,2,3,4");
    }

    /** Commits several DataSources, as a JTA manager does, and does not expose the DataSources. */
    static final class OfSeveral extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1;

        private final transient List<DataSource> dataSources;

        OfSeveral(DataSource... dataSources) {
            this.dataSources = List.of(dataSources);
        }

        private static Connection connection(DataSource dataSource) {
            return ((ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource)).getConnection();
        }

        private interface Ending {
            void of(Connection connection) throws SQLException;
        }

        private void each(Ending work) {
            for (DataSource each : dataSources) {
                try {
                    work.of(connection(each));
                } catch (SQLException e) {
                    throw new TransactionSystemException("cannot end it", e);
                }
            }
        }

        @Override
        protected Object doGetTransaction() {
            return dataSources;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            for (DataSource each : dataSources) {
                ConnectionHolder holder = new ConnectionHolder(DataSourceUtils.getConnection(each));
                holder.setSynchronizedWithTransaction(true);
                TransactionSynchronizationManager.bindResource(each, holder);
            }
            each(connection -> connection.setAutoCommit(false));
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            each(Connection::commit);
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            each(Connection::rollback);
        }

        @Override
        protected void doCleanupAfterCompletion(Object transaction) {
            each(connection -> {
                connection.setAutoCommit(true);
                connection.close();
            });
            dataSources.forEach(TransactionSynchronizationManager::unbindResource);
        }
    }

    @Test
    void aManagerOfSeveralDataSourcesSendsWhatIsPromisedInEach() throws Exception {
        HikariDataSource one = Contexts.pool(database);
        HikariDataSource other = Contexts.pool(database);
        OfSeveral manager = new OfSeveral(one, other);
        RowLockTemplate first = RowLockTests.template(LockAccess.builder().build(), manager, one);
        RowLockTemplate second = RowLockTests.template(LockAccess.builder().build(), manager, other);
        TransactionTemplate transaction = new TransactionTemplate(manager);
        transaction.executeWithoutResult(status -> {
            first.lock(forNoKeyUpdate(LockKey.row("account", 1)));
            first.atCommit().add("insert into outbox values (1)");
            second.atCommit().add("insert into outbox values (2)");
            TestContext.beforeCommit(() -> second.atCommit().add("insert into outbox values (3)"));
            TestContext.afterCommit(() -> {
                assertThat(RowLockTests.isFree(one, LockKey.row("account", 1))).isTrue();
                assertMisuse(first::atCommit).hasMessageContaining("has ended");
            });
        });
        assertThat(stored()).isEqualTo("1,2,3");
        transaction.executeWithoutResult(status -> {
            second.atCommit().add("insert into outbox values (4)");
            status.setRollbackOnly();
        });
        assertThat(stored()).isEqualTo("1,2,3");
        assertThatThrownBy(() -> transaction.executeWithoutResult(
                        status -> second.atCommit().add("insert into nowhere values (5)")))
                .isInstanceOf(DataAccessException.class);
        assertThat(CommitListener.mayQueue()).isTrue();
    }

    /** The requests that Rowlock rejects before a commit. */
    enum Refusal {
        NOT_TOLD,
        NO_TRANSACTION,
        OTHER_DATA_SOURCE,
        BORROWED,
        TIMED_OUT
    }

    /**
     * After a TransactionException at this point Spring would not roll back, and the pool's clean-up would commit the
     * transaction.
     */
    @ParameterizedTest
    @EnumSource
    void whatIsRefusedBeforeTheCommitRollsBack(Refusal refusal) throws Exception {
        var context = start(Manager.JDBC);
        HikariDataSource other = Contexts.pool(database);
        DataSource own = context.getBean(DataSource.class);
        RowLockTemplate template = context.template();
        RowLockTemplate ofOther =
                new RowLockTemplate(context.getBean(SpringLocks.class), new JdbcTransactionManager(other), other);
        LockKey account = LockKey.row("account", 1);
        PlatformTransactionManager known = context.getBean(PlatformTransactionManager.class);
        TransactionTemplate suspending = new TransactionTemplate(known);
        suspending.setPropagationBehavior(Propagation.NOT_SUPPORTED.value());
        TransactionTemplate transaction =
                new TransactionTemplate(refusal == Refusal.NOT_TOLD ? new JdbcTransactionManager(own) : known);
        transaction.setTimeout(60);
        Runnable late = switch (refusal) {
            case NOT_TOLD -> template::atCommit;
            case NO_TRANSACTION ->
                () -> suspending.executeWithoutResult(status -> template.lock(forNoKeyUpdate(account)));
            case OTHER_DATA_SOURCE -> () -> ofOther.lock(forNoKeyUpdate(account));
            case BORROWED ->
                () -> {
                    new JdbcTemplate(other).queryForList("select 1");
                    ofOther.lock(forNoKeyUpdate(account));
                };
            case TIMED_OUT ->
                () -> {
                    ((ConnectionHolder) Objects.requireNonNull(TransactionSynchronizationManager.getResource(own)))
                            .setTimeoutInMillis(-1);
                    template.lock(forNoKeyUpdate(account));
                };
        };
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    new JdbcTemplate(own).update("insert into outbox values (1)");
                    TestContext.beforeCommit(late);
                }))
                .isInstanceOf(
                        refusal == Refusal.TIMED_OUT
                                ? QueryTimeoutException.class
                                : InvalidDataAccessApiUsageException.class);
        assertThat(stored()).isNull();
    }

    /** The application's own listeners still run, even if they replace Rowlock's listener. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listenersOfTheApplicationsOwnAreNoObstacle(boolean rowlocks) throws Exception {
        List<TransactionExecution> begun = new ArrayList<>();
        TransactionExecutionListener own = new TransactionExecutionListener() {
            @Override
            public void afterBegin(TransactionExecution transaction, Throwable failure) {
                begun.add(transaction);
            }
        };
        var context = start(Manager.JDBC, dataSource -> {
            JdbcTransactionManager manager =
                    rowlocks ? new RowLockTransactionManager(dataSource) : new JdbcTransactionManager(dataSource);
            manager.setTransactionExecutionListeners(List.of(own));
            return manager;
        });
        RowLockTemplate template = context.template();
        template.inTransaction(
                forNoKeyUpdate(LockKey.row("account", 1)),
                () -> template.atCommit().add("insert into outbox values (1)").expectOneRow());
        assertThat(stored()).isEqualTo("1");
        assertThat(begun).hasSize(1);
    }

    /** Remains of a transaction on a pooled thread would keep later calls on that thread from queueing. */
    @Test
    void aSynchronizationThatThrowsWhenItResumesLeavesNothingOnTheThread() {
        var context = start(Manager.JDBC);
        TransactionTemplate outer = context.transactions();
        TransactionTemplate inner = context.transactions(Propagation.REQUIRES_NEW);
        outer.executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public int getOrder() {
                    return 0;
                }

                @Override
                public void resume() {
                    throw new IllegalStateException("on purpose");
                }
            });
            assertThatThrownBy(() -> inner.executeWithoutResult(none -> {})).hasMessage("on purpose");
        });
        assertThat(CommitListener.mayQueue()).isTrue();
    }
}
