package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forUpdate;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.sql.SQLException;
import java.util.Currency;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongUnaryOperator;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.libraries.JpaTransactions;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** What the persistence context loaded before the lock is read again behind it. */
@Tag("long")
class EntityRefreshTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            2,
            "create table part (a int, b int, amount bigint not null, primary key (a, b))",
            "insert into part values (1, 2, 0)",
            "create table parcel (id bigint primary key)",
            "create table parcel_line (id bigint primary key, parcel bigint, amount bigint not null)",
            "create table till (id text primary key, amount bigint not null)",
            "insert into till values ('EUR', 0), ('USD', 0)",
            "insert into parcel values (1)",
            "insert into parcel_line values (1, 1, 0)");

    private AnnotationConfigApplicationContext context;
    private EntityManager entities;
    private Accounts accounts;
    private TransactionTemplate transaction;

    @Entity
    @Table(name = "account")
    static class Account {
        @Id
        Long id;

        long balance;
    }

    @Embeddable
    static class PartId implements Serializable {
        private static final long serialVersionUID = 1;

        @Column
        int a = 1;

        @Column
        int b = 2;

        @Override
        public boolean equals(Object other) {
            return other instanceof PartId id && id.a == a && id.b == b;
        }

        @Override
        public int hashCode() {
            return Objects.hash(a, b);
        }
    }

    @Entity
    @Table(name = "part")
    static class Part {
        @EmbeddedId
        PartId id;

        long amount;
    }

    @Entity
    @Table(name = "parcel")
    static class Parcel {
        @Id
        Long id;

        @OneToMany(cascade = CascadeType.ALL)
        @JoinColumn(name = "parcel")
        List<ParcelLine> lines;
    }

    @Entity
    @Table(name = "parcel_line")
    static class ParcelLine {
        @Id
        Long id;

        long amount;
    }

    @Entity
    @Table(name = "till")
    static class Till {
        @Id
        Currency id;

        long amount;
    }

    static class Accounts {
        private final EntityManager entities;

        Accounts(EntityManagerFactory factory) {
            this.entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        }

        @Transactional
        public long balance(@RowLock(entity = Account.class) long id) {
            return entities.find(Account.class, id).balance;
        }

        @Transactional
        public void refreshAll(@RowLock(entity = Account.class, required = false) List<Long> ids, Runnable work) {
            work.run();
        }

        @Transactional
        @RowLock(entity = Account.class, id = "#ids")
        public void refreshArray(int[] ids, Runnable work) {
            work.run();
        }

        @Transactional
        public long amount(@RowLock(entity = Part.class) PartId id) {
            return entities.find(Part.class, id).amount;
        }
    }

    @BeforeEach
    void start() {
        context = RowLockTests.start(
                beans -> {
                    beans.registerBean("dataSource", DataSource.class, database::dataSource);
                    beans.registerBean(
                            Unit.class,
                            () -> new Unit(Account.class, Part.class, Parcel.class, ParcelLine.class, Till.class));
                },
                JpaTransactions.class,
                Accounts.class);
        accounts = context.getBean(Accounts.class);
        entities = SharedEntityManagerCreator.createSharedEntityManager(context.getBean(EntityManagerFactory.class));
        transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    @AfterEach
    void close() {
        context.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"annotation", "lock", "lockAll", "tryLock", "lockAndRead", "inTransaction"})
    void whatWasLoadedBeforeTheLockHasWhatWasCommittedDuringTheWait(String entrance) throws Exception {
        LockKey key = LockKey.row("account", 1);
        RowLockTemplate template = context.getBean(RowLockTemplate.class);
        assertThat(loadThenLockBehindAnUpdate(id -> {
                    switch (entrance) {
                        case "annotation" -> accounts.balance(id);
                        case "lock" -> template.lock(forNoKeyUpdate(key));
                        case "lockAll" -> template.lock(forNoKeyUpdate(List.of(key)));
                        case "tryLock" ->
                            template.tryLock(forNoKeyUpdate(key).atMost(TestDatabase.DEADLINE))
                                    .isHeld();
                        case "lockAndRead" -> template.lockAndRead(forNoKeyUpdate(key), "select 1", row -> 1);
                        default -> template.inTransaction(forNoKeyUpdate(key), () -> 1);
                    }
                    return entities.find(Account.class, id).balance;
                }))
                .isEqualTo(100);
    }

    /** Nobody knows whether the change is one of what the row has now, so neither is lost silently. */
    @Test
    void whatWasLoadedAndChangedBeforeTheLockIsRefused() throws Exception {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    entities.find(Account.class, 1L).balance += 1;
                    accounts.balance(1);
                }))
                .isInstanceOf(InvalidDataAccessApiUsageException.class)
                .hasMessageContainingAll("Account", "id 1", "Accounts.balance(long)", "flush");
        transaction.executeWithoutResult(status -> {
            entities.find(Account.class, 1L).balance += 1;
            entities.flush();
            assertThat(accounts.balance(1)).isEqualTo(1);
        });
        assertThat(balanceOf(1)).isEqualTo("1");
    }

    /** Of a claim the rows are known when they are held, and the same holds for them. */
    @ParameterizedTest
    @EnumSource
    void whatWasLoadedBeforeAClaimIsReadAgainUnlessItWasChanged(LockStrategy strategy) throws Exception {
        RowLockTemplate template = new RowLockTemplate(
                LockAccess.builder().strategy(strategy).build(),
                context.getBean(PlatformTransactionManager.class),
                context.getBean(DataSource.class));
        Claim one = Claim.from("account").where("id = 1");
        transaction.executeWithoutResult(status -> {
            Account first = entities.find(Account.class, 1L);
            entities.find(Account.class, 2L).balance = 7;
            executeElsewhere("update account set balance = 5 where id = 1");
            assertThat(template.claim(one, row -> row.getLong("id"))).containsExactly(1L);
            assertThat(first.balance).isEqualTo(5);
        });
        assertThat(balanceOf(1) + balanceOf(2)).as("the other's change is kept").isEqualTo("57");
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    entities.find(Account.class, 1L).balance = 1;
                    executeElsewhere("update account set balance = 6 where id = 1");
                    template.claim(one, row -> row.getLong("id"));
                }))
                .isInstanceOf(InvalidDataAccessApiUsageException.class)
                .hasMessageContainingAll("Account", "id 1", "has been changed since");
        assertThat(balanceOf(1)).isEqualTo("6");
    }

    /** The columns of a key are those of the primary key in its order; another row may have the same values. */
    @Test
    void aRowWithTheSameValuesInAnotherOrderIsAnotherOne() throws Exception {
        executeElsewhere("insert into part values (2, 1, 0)");
        RowLockTemplate template = context.getBean(RowLockTemplate.class);
        transaction.executeWithoutResult(status -> {
            PartId other = new PartId();
            other.a = 2;
            other.b = 1;
            entities.find(Part.class, other).amount = 3;
            template.lock(forNoKeyUpdate(LockKey.row("part", List.of(1, 2))));
            assertThatThrownBy(() -> template.lock(forNoKeyUpdate(LockKey.row("part", List.of(2, 1)))))
                    .isInstanceOf(InvalidDataAccessApiUsageException.class);
        });
        assertThat(database.query("select amount from part where a = 2")).isEqualTo("3");
    }

    /** What was changed under the lock stays, however often it is taken again. */
    @Test
    void whatIsChangedUnderTheLockIsKept() throws Exception {
        transaction.executeWithoutResult(status -> {
            accounts.balance(1);
            entities.find(Account.class, 1L).balance += 1;
            assertThat(accounts.balance(1)).isEqualTo(1);
            entities.find(Account.class, 2L).balance += 5;
            assertThat(accounts.balance(1)).isEqualTo(1);
        });
        assertThat(balanceOf(1) + balanceOf(2)).isEqualTo("15");
    }

    /** A change of another row, in the collections and cascades of the one that is read again, is not dropped. */
    @Test
    void pendingChangesOfWhatItCascadesToAreKept() throws Exception {
        transaction.executeWithoutResult(status -> {
            Parcel parcel = entities.find(Parcel.class, 1L);
            parcel.lines.get(0).amount = 7;
            context.getBean(RowLockTemplate.class).lock(forNoKeyUpdate(LockKey.row("parcel", 1)));
            assertThat(parcel.lines.get(0).amount).isEqualTo(7);
        });
        assertThat(database.query("select amount from parcel_line where id = 1"))
                .isEqualTo("7");
    }

    /** Loads the account, then locks it while another session, which commits a new balance, holds the lock. */
    private long loadThenLockBehindAnUpdate(LongUnaryOperator lockAndRead) throws Exception {
        Session alice = database.session("alice");
        alice.run(connection -> LockAccess.builder().build().in(connection).lock(forUpdate(LockKey.row("account", 1))));
        alice.execute("update account set balance = 100 where id = 1");
        CompletableFuture<Long> bob = CompletableFuture.supplyAsync(
                () -> transaction.execute(status -> {
                    assertThat(entities.find(Account.class, 1L).balance).isZero();
                    return lockAndRead.applyAsLong(1);
                }),
                Blocking.NEW_THREAD);
        Blocking.awaitWaiterBehind(database.dataSource(), alice.pid());
        alice.commit();
        return TestDatabase.result(bob);
    }

    @Test
    void everyEntityOfACollectionIsRefreshed() {
        inTransactionWithStaleAccounts(() -> accounts.refreshAll(List.of(2L, 1L), this::assertFresh));
        inTransactionWithStaleAccounts(() -> accounts.refreshArray(new int[] {1, 2}, this::assertFresh));
    }

    private void inTransactionWithStaleAccounts(Runnable call) {
        transaction.executeWithoutResult(status -> {
            assertThat(entities.find(Account.class, 1L)).isNotNull();
            assertThat(entities.find(Account.class, 2L)).isNotNull();
            executeElsewhere("update account set balance = balance + 1");
            call.run();
        });
    }

    private void assertFresh() {
        for (long id = 1; id <= 2; id++) {
            Account account = entities.find(Account.class, id);
            assertThat(String.valueOf(account.balance)).isEqualTo(balanceOf(id));
        }
    }

    @Test
    void anIdObjectIsRefreshedToo() {
        transaction.executeWithoutResult(status -> {
            assertThat(entities.find(Part.class, new PartId()).amount).isZero();
            executeElsewhere("update part set amount = 5");
            assertThat(accounts.amount(new PartId())).isEqualTo(5);
        });
    }

    /** What was not loaded is read by whoever needs it, once, and then behind the lock. */
    @Test
    void whatWasNotLoadedIsNotRead() {
        var statistics = context.getBean(EntityManagerFactory.class)
                .unwrap(SessionFactory.class)
                .getStatistics();
        statistics.setStatisticsEnabled(true);
        accounts.refreshAll(List.of(1L, 2L), () -> {});
        transaction.executeWithoutResult(status -> {
            entities.getReference(Account.class, 1L);
            accounts.refreshAll(List.of(1L, 2L), () -> {});
        });
        assertThat(statistics.getEntityLoadCount()).isZero();
        assertThat(statistics.getPrepareStatementCount()).isZero();
    }

    /** A proxy is no Account to instanceof, to final methods and to Jackson, and stays for the whole transaction. */
    @Test
    void nothingIsPlantedInThePersistenceContext() {
        accounts.refreshAll(
                List.of(1L, 2L),
                () -> assertThat(entities.find(Account.class, 1L).getClass()).isEqualTo(Account.class));
    }

    /** As FOR UPDATE finds no row: whoever reads it says so. */
    @Test
    void aRowThatDoesNotExistAndNeedNotIsNoError() {
        accounts.refreshAll(
                List.of(42L),
                () -> assertThat(entities.find(Account.class, 42L)).isNull());
    }

    private void executeElsewhere(String sql) {
        try {
            database.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private String balanceOf(long id) {
        try {
            return database.query("select balance from account where id = " + id);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** How the transaction has the row already, and its change is one of what the row has. */
    enum Held {
        FOUND,
        QUERIED,
        FLUSHED,
        INSERTED
    }

    @ParameterizedTest
    @EnumSource
    void whatIsChangedUnderALockOfHibernatesIsKept(Held held) throws Exception {
        RowLockTemplate template = context.getBean(RowLockTemplate.class);
        transaction.executeWithoutResult(status -> {
            Account account = switch (held) {
                case FOUND -> entities.find(Account.class, 1L, LockModeType.PESSIMISTIC_WRITE);
                case QUERIED ->
                    entities.createQuery("from " + Account.class.getName() + " where id = 1", Account.class)
                            .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                            .getSingleResult();
                case FLUSHED -> {
                    Account loaded = entities.find(Account.class, 1L);
                    loaded.balance = 1;
                    yield loaded;
                }
                case INSERTED -> {
                    Account fresh = new Account();
                    fresh.id = 3L;
                    entities.persist(fresh);
                    yield fresh;
                }
            };
            entities.flush();
            account.balance = 8;
            template.lock(forNoKeyUpdate(LockKey.row("account", account.id)));
            assertThat(account.balance).isEqualTo(8);
        });
        assertThat(balanceOf(held == Held.INSERTED ? 3 : 1)).isEqualTo("8");
    }

    /** What the mapping alone can compare is read again, but not taken for the row that is locked. */
    @Test
    void anEntityWhoseIdIsOfAnotherTypeKeepsItsChange() throws Exception {
        transaction.executeWithoutResult(status -> {
            Till till = entities.find(Till.class, Currency.getInstance("EUR"));
            Till other = entities.find(Till.class, Currency.getInstance("USD"));
            executeElsewhere("update till set amount = 5 where id = 'USD'");
            till.amount = 7;
            context.getBean(RowLockTemplate.class).lock(forNoKeyUpdate(LockKey.row("till", "USD")));
            assertThat(other.amount).isEqualTo(5);
            assertThat(till.amount).isEqualTo(7);
        });
        assertThat(database.query("select amount from till where id = 'EUR'")).isEqualTo("7");
    }

    /** As at the commit. */
    @Test
    void errorsOfTheFlushBehindALockAreSprings() {
        executeElsewhere("alter table parcel_line add check (amount < 10)");
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    entities.find(Parcel.class, 1L).lines.get(0).amount = 11;
                    context.getBean(RowLockTemplate.class).lock(forNoKeyUpdate(LockKey.row("parcel", 1)));
                }))
                .isInstanceOf(DataIntegrityViolationException.class);
    }
}
