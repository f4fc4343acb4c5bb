package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;
import static org.rowlock.spring.RowLockTests.assertNotAcquired;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.Claim;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Contexts.Probe;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Checks locks in code, in the running transaction or in a separate transaction. */
class RowLockTemplateTest {
    private static final LockKey ONE = LockKey.row("account", 1);
    private static final LockKey TWO = LockKey.row("account", 2);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance int not null default 0)",
            "insert into account values (1, 10), (2, 20), (3, 30)");

    private TestContext context;
    private RowLockTemplate template;
    private Probe probe;

    @BeforeEach
    void start() {
        context = Contexts.start(database);
        template = context.template();
        probe = context.getBean(Probe.class);
    }

    @Test
    void inTransactionQueuesBeginsLocksAndCommits() {
        int seen = template.inTransaction(forNoKeyUpdate(ONE), () -> {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            assertThat(context.queues().keysInUse()).isOne();
            probe.setBalance(1, 11);
            return probe.locks();
        });
        assertThat(seen).isOne();
        assertThat(context.queues().keysInUse()).isZero();
        assertThat(probe.balance(1)).isEqualTo(11);
    }

    @Test
    void inTransactionWithinAnotherTakesPartInItAndDoesNotQueue() {
        context.inTransaction(status -> {
            template.inTransaction(forUpdate(List.of(ONE, TWO)), () -> {
                assertThat(context.queues().keysInUse()).isZero();
                probe.setBalance(1, 0);
                return null;
            });
            assertThat(probe.locks()).isEqualTo(2);
            status.setRollbackOnly();
        });
        assertThat(probe.balance(1)).isEqualTo(10);
    }

    @Test
    void queriesAndClaimsBehindTheLock() throws Exception {
        Session other = RowLockTests.holder(database, ONE);
        context.inTransaction(status -> {
            LockResult both = template.lock(forNoKeyUpdate(TWO));
            assertThat(both).hasToString("HELD by BOTH");
            RowLockTests.assertHeld(template.lock(forNoKeyUpdate(List.of(TWO, LockKey.row("account", 3)))));
            assertThat(template.lockAndRead(
                            forNoKeyUpdate(TWO), "select balance from account where id = ?", row -> row.getInt(1), 2))
                    .containsExactly(20);
            assertThat(template.claim(
                            Claim.from("account").where("balance > ?", 5).limit(3), row -> row.getInt("id")))
                    .containsExactlyInAnyOrder(2, 3);
        });
        other.rollback();
    }

    /** The lock uses the connection of the transaction, so later statements of JdbcTemplate run in that transaction. */
    @Test
    void theReadComesWithTheLock() throws Exception {
        JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
        context.inTransaction(status -> {
            long id = 2;
            int amount = 5;
            // snippet: read
            LockRequest account = forNoKeyUpdate(LockKey.row("account", id));
            int balance = template.lockAndRead(account, "select balance from account where id = ?", Integer.class, id)
                    .get(0);
            if (balance >= amount) {
                jdbc.update("update account set balance = balance - ? where id = ?", amount, id);
            }
            // end
            assertThat(RowLockTests.isFree(database.dataSource(), TWO)).isFalse();
        });
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("15");
    }

    @Test
    void theTimeoutOfTheTransactionIsNotToldAsAWaitForEver() throws Exception {
        TransactionTemplate transactions = context.transactions();
        transactions.setTimeout(1);
        Session other = RowLockTests.holder(database, ONE);
        assertNotAcquired(() -> transactions.execute(
                        status -> template.lock(forNoKeyUpdate(ONE).forever())))
                .hasMessageContaining("The timeout of the transaction ended the wait")
                .hasMessageNotContaining("The wait was");
        other.rollback();
    }

    private static CommitWrites adding(int amount) {
        CommitWrites writes = new CommitWrites();
        writes.add("update account set balance = balance + ? where id = 1", amount)
                .expectOneRow();
        writes.add("insert into entry values (?)", amount);
        return writes;
    }

    @Test
    void executeIsATransactionByItself() throws Exception {
        database.execute("create table entry(amount int check (amount > 0))");
        template.execute(forNoKeyUpdate(ONE), adding(5));
        assertThat(probe.balance(1)).isEqualTo(15);
        assertThatThrownBy(() -> template.execute(forNoKeyUpdate(ONE), adding(-5)))
                .isInstanceOf(DataIntegrityViolationException.class);
        assertThatThrownBy(() -> context.inTransaction(status -> template.execute(forNoKeyUpdate(ONE), adding(1))))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("atCommit()");
        assertThat(probe.balance(1)).isEqualTo(15);
    }

    /**
     * The calls that wait in the queue when the row becomes free share a transaction. The system column xmin shows the
     * shared transaction.
     */
    @Test
    void executeGroupsWhereItIsConfigured() throws Exception {
        database.execute("create table entry(amount int)");
        int calls = 6;
        RowLocks locks = LockAccess.builder().largestGroup(calls).build();
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.dataSource());
            RowLockTemplate grouping = RowLockTests.template(locks, new JdbcTransactionManager(pool), pool);
            // These calls look up the table. Later calls for the table can form groups.
            grouping.execute(forNoKeyUpdate(TWO), adding(1));
            grouping.execute(forNoKeyUpdate(TWO), adding(1));
            Session holder = database.session("holder");
            holder.execute("select from account where id = 1 for update");
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                all.add(Blocking.run(() -> grouping.execute(forNoKeyUpdate(ONE), adding(10))));
            }
            TestDatabase.await("all are in the queue")
                    .until(() ->
                            LockAccess.of(locks).calls().queues().entrants().size() == calls);
            holder.rollback();
            for (Future<?> each : all) {
                TestDatabase.result(each);
            }
        }
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("72");
        assertThat(Integer.parseInt(database.query("select count(distinct xmin::text) from entry where amount = 10")))
                .isLessThan(calls);
    }

    @Test
    void errorsAreSprings() throws Exception {
        Session other = RowLockTests.holder(database, ONE);
        assertMisuse(() -> template.lock(forNoKeyUpdate(ONE)))
                .hasMessageContainingAll("RowLockTemplate", "no transaction");
        assertNotAcquired(() -> template.inTransaction(forUpdate(List.of(ONE)).noWait(), () -> "never"));
        context.inTransaction(status -> {
            assertThat(template.tryLock(forNoKeyUpdate(ONE).atMost(Duration.ofMillis(5)))
                            .isHeld())
                    .isFalse();
            assertThat(template.tryLock(forNoKeyUpdate(TWO)).isHeld()).isTrue();
            probe.setBalance(2, 20 + 7);
        });
        assertThat(probe.balance(2)).isEqualTo(27);
        assertThatThrownBy(() -> context.transactions()
                        .execute(status ->
                                template.lockAndRead(forNoKeyUpdate(TWO), "select nothing from account", row -> 1)))
                .isInstanceOf(BadSqlGrammarException.class);
        other.rollback();
    }

    @Test
    void aRowThatTheSuspendedTransactionHoldsIsRefused() {
        TransactionTemplate outer = context.transactions();
        TransactionTemplate inner = context.transactions(Propagation.REQUIRES_NEW);
        LockRequest row = forNoKeyUpdate(LockKey.row("account", 1));
        outer.executeWithoutResult(status -> {
            assertThat(template.lock(row).isHeld()).isTrue();
            assertMisuse(() -> inner.executeWithoutResult(own -> template.lock(row)))
                    .hasMessageContaining("REQUIRES_NEW");
            inner.executeWithoutResult(own -> assertThat(template.lock(forNoKeyUpdate(LockKey.row("account", 2)))
                            .isHeld())
                    .isTrue());
        });
        outer.executeWithoutResult(status -> {
            LockRequest shared = forShare(LockKey.row("account", 1));
            assertThat(template.lock(shared).isHeld()).isTrue();
            inner.executeWithoutResult(
                    own -> assertThat(template.lock(shared).isHeld()).isTrue());
        });
    }

    /** The weakest lock too conflicts with FOR_UPDATE, and the server cannot detect that a thread waits for itself. */
    @Test
    void aRowThatTheSuspendedTransactionHoldsInTheWeakestModeIsRefused() {
        TransactionTemplate inner = context.transactions(Propagation.REQUIRES_NEW);
        context.inTransaction(status -> {
            RowLockTests.assertHeld(template.lock(LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(ONE))));
            assertMisuse(() -> inner.executeWithoutResult(
                            own -> template.lock(forUpdate(ONE).atMost(Duration.ofSeconds(1)))))
                    .hasMessageContaining("REQUIRES_NEW");
        });
    }

    @Test
    void executeDoesNotWaitForTheTransactionThatItsThreadHasSuspended() {
        TransactionTemplate suspending = context.transactions(Propagation.NOT_SUPPORTED);
        context.inTransaction(status -> {
            RowLockTests.assertHeld(template.lock(forNoKeyUpdate(ONE)));
            assertMisuse(() -> suspending.executeWithoutResult(
                            none -> template.execute(forNoKeyUpdate(ONE).atMost(Duration.ofSeconds(1)), adding(1))))
                    .hasMessageContaining("suspended transaction");
            CommitWrites other = new CommitWrites();
            other.add("update account set balance = 21 where id = 2");
            suspending.executeWithoutResult(none -> template.execute(forNoKeyUpdate(TWO), other));
        });
    }

    /** A listener after the commit begins its own transaction, while the committed transaction is suspended. */
    @Test
    void afterTheCommitARowOfTheTransactionIsFree() {
        TransactionTemplate inner = context.transactions(Propagation.REQUIRES_NEW);
        context.inTransaction(status -> {
            RowLockTests.assertHeld(template.lock(forNoKeyUpdate(ONE)));
            TestContext.afterCommit(() -> inner.executeWithoutResult(own -> {
                RowLockTests.assertHeld(template.lock(forNoKeyUpdate(ONE)));
                probe.setBalance(1, 77);
            }));
        });
        assertThat(probe.balance(1)).isEqualTo(77);
    }

    /** Spring's translator has no exception for P0001, the SQLSTATE of errors that functions and triggers raise. */
    @Test
    void theErrorOfATriggerIsTold() throws Exception {
        database.execute(
                "create function refuse() returns trigger language plpgsql"
                        + " as $$ begin raise exception 'too little'; end $$",
                "create trigger refuse before update on account for each row execute function refuse()",
                "create function raise() returns int language plpgsql"
                        + " as $$ begin raise exception 'too little'; end $$");
        List<Runnable> calls = List.of(
                () -> template.execute(forNoKeyUpdate(ONE), adding(1)),
                () -> template.inTransaction(
                        forNoKeyUpdate(ONE),
                        () -> template.atCommit().add("update account set balance = 0 where id = 1")),
                () -> context.inTransaction(
                        status -> template.lockAndRead(forNoKeyUpdate(ONE), "select raise()", row -> row.getInt(1))));
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call::run)
                        .isInstanceOf(UncategorizedSQLException.class)
                        .hasMessageContaining("too little"));
    }
}
