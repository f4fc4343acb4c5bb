package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.sql.SQLException;
import java.util.Currency;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.FlushMode;
import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionImplementor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Checks that entities that were loaded before the lock are read again after the lock. */
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
            "create table coded (id char(5) primary key, amount bigint not null)",
            "insert into coded values ('AB', 0)",
            "create collation nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
            "create table named (id text collate nocase primary key, amount bigint not null)",
            "insert into named values ('Anna', 0), ('Bob', 0)",
            "create table bill (id bigint primary key, account bigint)",
            "insert into bill values (1, 1)",
            "insert into parcel values (1)",
            "insert into parcel_line values (1, 1, 0)");

    private TestContext context;
    private EntityManager entities;
    private Accounts accounts;
    private TransactionTemplate transaction;

    @Embeddable
    record PartId(int a, int b) implements Serializable {}

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

    /** Hibernate reads the account with a join. */
    @Entity
    @Table(name = "bill")
    static class Bill {
        @Id
        Long id;

        @ManyToOne
        @JoinColumn(name = "account")
        Account account;
    }

    @Entity(name = "coded")
    static class Coded {
        @Id
        String id;

        long amount;
    }

    @Entity(name = "named")
    static class Named {
        @Id
        String id;

        long amount;
    }

    @Entity
    @Table(name = "till")
    static class Till {
        @Id
        Currency id;

        long amount;
    }

    @Transactional
    static class Accounts {
        @PersistenceContext
        EntityManager entities;

        public long balance(@RowLock(entity = Account.class) long id) {
            return entities.find(Account.class, id).balance;
        }

        public void refreshAll(@RowLock(entity = Account.class, required = false) List<Long> ids, Runnable work) {
            work.run();
        }

        public void refreshAny(@RowLock(entity = Account.class) Object ids, Runnable work) {
            work.run();
        }
    }

    @BeforeEach
    void start() {
        Unit unit = new Unit(
                Account.class,
                Part.class,
                Parcel.class,
                ParcelLine.class,
                Till.class,
                Bill.class,
                Coded.class,
                Named.class);
        context = Contexts.jpa(database, unit, Accounts.class);
        accounts = context.getBean(Accounts.class);
        entities = context.entities();
        transaction = context.transactions();
    }

    @Test
    void whatWasLoadedBeforeTheLockHasWhatWasCommittedDuringTheWait() throws Exception {
        Session alice = RowLockTests.holder(database, LockKey.row("account", 1));
        alice.execute("update account set balance = 100 where id = 1");
        CompletableFuture<Long> bob = Threads.start(() -> transaction.execute(status -> {
            assertThat(entities.find(Account.class, 1L).balance).isZero();
            accounts.balance(1);
            return entities.find(Account.class, 1L).balance;
        }));
        Blocking.awaitWaiterBehind(database.dataSource(), alice.pid());
        alice.commit();
        assertThat(TestDatabase.result(bob)).isEqualTo(100);
    }

    /**
     * The entity's change may rest on stale data, so the call is rejected. Neither this change nor the change of
     * another transaction is lost silently.
     */
    @Test
    void whatWasLoadedAndChangedBeforeTheLockIsRefused() throws Exception {
        assertMisuse(() -> transaction.executeWithoutResult(status -> {
                    entities.find(Account.class, 1L).balance += 1;
                    accounts.balance(1);
                }))
                .hasMessageContainingAll("Account", "id 1", "Accounts.balance(long)", "flush");
        transaction.executeWithoutResult(status -> {
            entities.find(Account.class, 1L).balance += 1;
            entities.flush();
            assertThat(accounts.balance(1)).isEqualTo(1);
        });
        assertThat(balanceOf(1)).isEqualTo("1");
    }

    /**
     * The rows of a claim are known only after the claim has locked the rows. The rules for entities of locked rows
     * apply to these rows too.
     */
    @ParameterizedTest
    @EnumSource
    void whatWasLoadedBeforeAClaimIsReadAgainUnlessItWasChanged(LockStrategy strategy) throws Exception {
        RowLockTemplate template = template(strategy);
        Claim one = Claim.from("account").where("id = 1");
        transaction.executeWithoutResult(status -> {
            Account first = entities.find(Account.class, 1L);
            entities.find(Account.class, 2L).balance = 7;
            executeElsewhere("update account set balance = 5 where id = 1");
            assertThat(template.claim(one, row -> row.getLong("id"))).containsExactly(1L);
            assertThat(first.balance).isEqualTo(5);
        });
        assertThat(balanceOf(1) + balanceOf(2)).as("the other's change is kept").isEqualTo("57");
        assertMisuse(() -> transaction.executeWithoutResult(status -> {
                    entities.find(Account.class, 1L).balance = 1;
                    executeElsewhere("update account set balance = 6 where id = 1");
                    template.claim(one, row -> row.getLong("id"));
                }))
                .hasMessageContainingAll("Account", "id 1", "has been changed since");
        assertThat(balanceOf(1)).isEqualTo("6");
    }

    private RowLockTemplate template(LockStrategy strategy) {
        return RowLockTests.template(
                LockAccess.builder().strategy(strategy).build(),
                context.getBean(PlatformTransactionManager.class),
                context.getBean(DataSource.class));
    }

    /**
     * A key has the columns in the order of the primary key. The same values in a different order identify another row.
     */
    @Test
    void aRowWithTheSameValuesInAnotherOrderIsAnotherOne() throws Exception {
        executeElsewhere("insert into part values (2, 1, 0)");
        RowLockTemplate template = context.template();
        transaction.executeWithoutResult(status -> {
            entities.find(Part.class, new PartId(2, 1)).amount = 3;
            template.lock(forNoKeyUpdate(LockKey.row("part", List.of(1, 2))));
            assertMisuse(() -> template.lock(forNoKeyUpdate(LockKey.row("part", List.of(2, 1)))));
        });
        assertThat(database.query("select amount from part where a = 2")).isEqualTo("3");
    }

    /**
     * The refresh of an entity cascades to its collections. A pending change of another row in such a collection is not
     * dropped.
     */
    @Test
    void pendingChangesOfWhatItCascadesToAreKept() throws Exception {
        transaction.executeWithoutResult(status -> {
            Parcel parcel = entities.find(Parcel.class, 1L);
            parcel.lines.get(0).amount = 7;
            context.template().lock(forNoKeyUpdate(LockKey.row("parcel", 1)));
            assertThat(parcel.lines.get(0).amount).isEqualTo(7);
        });
        assertThat(database.query("select amount from parcel_line where id = 1"))
                .isEqualTo("7");
    }

    /** The session must not write a change before the application itself calls flush. */
    @Test
    void aSessionThatTheApplicationFlushesIsNotFlushed() throws Exception {
        assertMisuse(() -> transaction.executeWithoutResult(status -> {
                    entities.unwrap(SessionImplementor.class).setHibernateFlushMode(FlushMode.MANUAL);
                    entities.find(Parcel.class, 1L).lines.get(0).amount = 7;
                    context.template().lock(forNoKeyUpdate(LockKey.row("parcel", 1)));
                }))
                .hasMessageContainingAll("ParcelLine", "flush the change before the lock");
        assertThat(database.query("select amount from parcel_line where id = 1"))
                .isEqualTo("0");
    }

    static Stream<Object> idsOfBoth() {
        return Stream.of(List.of(2L, 1L), new int[] {1, 2}, new long[] {1, 2}, List.of("1", "2"), Set.of(1, 2));
    }

    @ParameterizedTest
    @MethodSource("idsOfBoth")
    void everyEntityIsRefreshedByIdsOfAnyForm(Object ids) {
        transaction.executeWithoutResult(status -> {
            assertThat(entities.find(Account.class, 1L)).isNotNull();
            assertThat(entities.find(Account.class, 2L)).isNotNull();
            executeElsewhere("update account set balance = balance + 1");
            accounts.refreshAny(ids, () -> {
                assertThat(entities.find(Account.class, 1L).balance).isOne();
                assertThat(entities.find(Account.class, 2L).balance).isOne();
            });
        });
    }

    /**
     * The lock does not read entities that were not loaded before. Code that needs an entity reads the entity once,
     * after the lock.
     */
    @Test
    void whatWasNotLoadedIsNotRead() {
        var statistics = context.getBean(EntityManagerFactory.class)
                .unwrap(SessionFactory.class)
                .getStatistics();
        // The first lock of a table reads Hibernate's mapping, and prepares statements that are never sent.
        accounts.refreshAll(List.of(1L, 2L), () -> {});
        statistics.setStatisticsEnabled(true);
        accounts.refreshAll(List.of(1L, 2L), () -> {});
        transaction.executeWithoutResult(status -> {
            entities.getReference(Account.class, 1L);
            accounts.refreshAll(List.of(1L, 2L), () -> {});
        });
        assertThat(statistics.getEntityLoadCount()).isZero();
        assertThat(statistics.getPrepareStatementCount()).isZero();
    }

    /**
     * The lock leaves no proxy in the session. For a proxy, final methods and Jackson do not work as for an Account,
     * and the proxy would stay until the transaction ends.
     */
    @Test
    void nothingIsPlantedInThePersistenceContext() {
        accounts.refreshAll(
                List.of(1L, 2L),
                () -> assertThat(entities.find(Account.class, 1L).getClass()).isEqualTo(Account.class));
    }

    /** FOR UPDATE would find no row either. The code that reads the row detects the absence. */
    @Test
    void aRowThatDoesNotExistAndNeedNotIsNoError() {
        accounts.refreshAll(
                List.of(42L),
                () -> assertThat(entities.find(Account.class, 42L)).isNull());
    }

    private void executeElsewhere(String sql) {
        RowLockTests.execute(database, sql);
    }

    private String balanceOf(long id) throws SQLException {
        return database.query("select balance from account where id = " + id);
    }

    /** How the transaction already holds the row. A change of the entity then rests on current data. */
    enum Held {
        FOUND,
        QUERIED,
        FLUSHED,
        INSERTED
    }

    @ParameterizedTest
    @EnumSource
    void whatIsChangedUnderALockOfHibernatesIsKept(Held held) throws Exception {
        RowLockTemplate template = context.template();
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

    /** A key has the code of the currency, as its column has. */
    @Test
    void anIdOfAnotherTypeIsComparedAsItIsStored() throws Exception {
        LockRequest dollars = forNoKeyUpdate(LockKey.row("till", "USD"));
        transaction.executeWithoutResult(status -> {
            Till till = entities.find(Till.class, Currency.getInstance("EUR"));
            Till other = entities.find(Till.class, Currency.getInstance("USD"));
            executeElsewhere("update till set amount = 5 where id = 'USD'");
            till.amount = 7;
            context.template().lock(dollars);
            assertThat(other.amount).isEqualTo(5);
            assertThat(till.amount).isEqualTo(7);
        });
        assertThat(database.query("select amount from till where id = 'EUR'")).isEqualTo("7");
        assertMisuse(() -> transaction.executeWithoutResult(status -> {
                    Till till = entities.find(Till.class, Currency.getInstance("USD"));
                    executeElsewhere("update till set amount = 6 where id = 'USD'");
                    till.amount += 1;
                    context.template().lock(dollars);
                }))
                .hasMessageContaining("has been changed since");
        assertThat(database.query("select amount from till where id = 'USD'")).isEqualTo("6");
    }

    /** A column of type char(n) ignores the spaces that it adds to an id. Hibernate compares them. */
    @ParameterizedTest
    @EnumSource
    void anIdThatItsColumnPadsIsComparedWithoutThePadding(LockStrategy strategy) {
        LockRequest request = forNoKeyUpdate(LockKey.row("coded", "AB"));
        transaction.executeWithoutResult(status -> {
            Coded coded = entities.createQuery("from coded", Coded.class).getSingleResult();
            assertThat(coded.id).isEqualTo("AB   ");
            executeElsewhere("update coded set amount = 5");
            template(strategy).lock(request);
            assertThat(coded.amount).isEqualTo(5);
        });
        assertMisuse(() -> transaction.executeWithoutResult(status -> {
                    entities.createQuery("from coded", Coded.class).getSingleResult().amount = 6;
                    template(strategy).lock(request);
                }))
                .hasMessageContaining("has been changed since");
    }

    /** The column takes texts for equal that are different ids to Hibernate. Only ROW locks such ids. */
    @Test
    void anIdOfWhichItsColumnHasSeveralSpellingsIsComparedAsByTheColumn() throws Exception {
        LockRequest anna = forNoKeyUpdate(LockKey.row("named", "anna"));
        transaction.executeWithoutResult(status -> {
            Named named = entities.find(Named.class, "Anna");
            entities.find(Named.class, "Bob").amount = 7;
            executeElsewhere("update named set amount = 5 where id = 'Anna'");
            template(LockStrategy.ROW).lock(anna);
            assertThat(named.amount).isEqualTo(5);
        });
        assertThat(database.query("select amount from named where id = 'Bob'")).isEqualTo("7");
        assertMisuse(() -> transaction.executeWithoutResult(status -> {
                    entities.find(Named.class, "Anna").amount = 6;
                    template(LockStrategy.ROW).lock(anna);
                }))
                .hasMessageContaining("has been changed since");
    }

    /** A failure of the flush is Spring's exception, as it is at the commit. */
    @Test
    void errorsOfTheFlushBehindALockAreSprings() {
        executeElsewhere("alter table parcel_line add check (amount < 10)");
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    entities.find(Parcel.class, 1L).lines.get(0).amount = 11;
                    context.template().lock(forNoKeyUpdate(LockKey.row("parcel", 1)));
                }))
                .isInstanceOf(DataIntegrityViolationException.class);
    }

    /**
     * Hibernate 7 locks only the row of the bill, but records the lock for the joined account too. Hibernate 6 locks both
     * rows.
     */
    @ParameterizedTest
    @EnumSource
    void aJoinedEntityIsNotTakenForLocked(LockStrategy strategy) throws Exception {
        RowLockTemplate template = template(strategy);
        boolean[] isLocked = new boolean[1];
        Throwable refused = catchThrowable(() -> transaction.executeWithoutResult(status -> {
            Bill bill = entities.find(Bill.class, 1L, LockModeType.PESSIMISTIC_WRITE);
            isLocked[0] = !RowLockTests.isFree(database.dataSource(), LockKey.row("account", 1));
            if (!isLocked[0]) {
                executeElsewhere("update account set balance = 5 where id = 1");
            }
            bill.account.balance += 1;
            template.lock(forNoKeyUpdate(LockKey.row("account", 1)));
        }));
        if (isLocked[0]) {
            assertThat(refused).isNull();
        } else {
            assertThat(refused)
                    .isInstanceOf(InvalidDataAccessApiUsageException.class)
                    .hasMessageContainingAll("Account", "id 1", "has been changed since");
        }
        assertThat(balanceOf(1)).isEqualTo(isLocked[0] ? "1" : "5");
    }
}
