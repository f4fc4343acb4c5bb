package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import jakarta.persistence.CacheRetrieveMode;
import jakarta.persistence.Cacheable;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.hibernate.CacheMode;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.hibernate.stat.Statistics;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.spring.libraries.JpaTransactions;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Checks that an entity has the data of the database after the lock, even if the second-level cache has older data. */
@Tag("long")
class CachedEntityTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            2,
            "create table part (a int, b int, amount bigint not null, primary key (a, b))",
            "create table piece (number int, kind text, amount bigint not null, primary key (number, kind))");

    private DataSource dataSource;

    @Entity
    @Table(name = "account")
    @Cacheable
    @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
    static class Account {
        @Id
        Long id;

        long balance;
    }

    static class PartId implements Serializable {
        private static final long serialVersionUID = 1;
        public int a;
        public int b;

        PartId() {}

        PartId(int a, int b) {
            this.a = a;
            this.b = b;
        }

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
    @IdClass(PartId.class)
    @Cacheable
    @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
    static class Part {
        @Id
        int a;

        @Id
        int b;

        @Column
        long amount;
    }

    @Embeddable
    record PieceId(String kind, int number) implements Serializable {}

    /** The mapping has the id columns in a different order from the primary key. */
    @Entity
    @Table(name = "piece")
    @Cacheable
    @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
    static class Piece {
        @EmbeddedId
        PieceId id;

        long amount;
    }

    @Transactional
    static class Accounts {
        @PersistenceContext
        EntityManager entities;

        public long read(long id) {
            return entities.find(Account.class, id).balance;
        }

        public void add(@RowLock("account") long id) {
            entities.find(Account.class, id).balance += 1;
        }

        public void several(@RowLock("account") List<Integer> ids) {
            ids.forEach(id -> entities.find(Account.class, id.longValue()).balance += 1);
        }
    }

    @Transactional
    static class Parts {
        @PersistenceContext
        EntityManager entities;

        @RowLock(
                table = "part",
                id = {"#a", "#b"})
        public long change(int a, int b) {
            return read();
        }

        @RowLock(table = "part", id = "#ids.![{a, b}]")
        public long sum(List<PartId> ids) {
            return ids.stream()
                    .mapToLong(id -> entities.find(Part.class, id).amount)
                    .sum();
        }

        @RowLock(table = "piece", id = "#ids.![{number(), kind()}]")
        public long sumOfPieces(List<PieceId> ids) {
            return ids.stream()
                    .mapToLong(id -> entities.find(Piece.class, id).amount)
                    .sum();
        }

        public long read() {
            return entities.find(Part.class, new PartId(1, 2)).amount;
        }
    }

    private TestContext start(LockStrategy strategy, Class<?>... components) {
        return Contexts.jpa(
                database,
                dataSource == null ? database.dataSource() : dataSource,
                new Unit(JpaTransactions.CACHE, Account.class, Part.class, Piece.class),
                beans -> Contexts.locks(beans, strategy),
                components);
    }

    @ParameterizedTest
    @EnumSource
    void whatTheHolderBeforeWroteIsNotLost(LockStrategy strategy) throws Exception {
        addFiftyThenOne(strategy);
    }

    /**
     * Another session changes the row, as another instance or plain SQL would. The cache of this instance is not
     * notified.
     */
    private void addFiftyThenOne(LockStrategy strategy) throws Exception {
        var context = start(strategy, Accounts.class);
        Accounts accounts = context.getBean(Accounts.class);
        assertThat(accounts.read(1) + accounts.read(2)).isZero();
        assertThat(context.getBean(EntityManagerFactory.class).getCache().contains(Account.class, 1L))
                .as("in the second-level cache")
                .isTrue();
        Session other = RowLockTests.holder(database, strategy, LockKey.row("account", 1));
        other.execute("update account set balance = balance + 50 where id = 1");
        var call = Blocking.run(() -> accounts.add(1));
        Blocking.awaitWaiterBehind(database.dataSource(), other.pid());
        other.commit();
        TestDatabase.result(call);
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("51");
        assertThat(accounts.read(1)).as("what the cache has now").isEqualTo(51);
    }

    /**
     * The DataSource is a proxy that takes part in transactions. The transaction manager unwraps the proxy, and the
     * factory does not.
     */
    @Test
    void behindADataSourceThatTakesPartInTransactions() throws Exception {
        dataSource = new TransactionAwareDataSourceProxy(database.dataSource());
        addFiftyThenOne(LockStrategy.BOTH);
    }

    private static Statistics statistics(TestContext context) {
        return context.getBean(EntityManagerFactory.class)
                .unwrap(SessionFactory.class)
                .getStatistics();
    }

    /** The read after the lock replaces the read that the method would have made. */
    @Test
    void theEntityIsReadOnce() {
        var context = start(LockStrategy.ADVISORY, Accounts.class);
        var statistics = statistics(context);
        context.getBean(Accounts.class).add(1);
        assertThat(statistics.getEntityLoadCount()).isEqualTo(1);
    }

    @Test
    void aListOfCachedEntitiesIsReadFromTheDatabase() {
        var context = start(LockStrategy.BOTH, Accounts.class);
        Accounts accounts = context.getBean(Accounts.class);
        assertThat(accounts.read(1) + accounts.read(2)).isZero();
        var statistics = statistics(context);
        statistics.clear();
        accounts.several(List.of(2, 1));
        assertThat(statistics.getEntityLoadCount()).isEqualTo(2);
    }

    @Test
    void aListOfCachedEntitiesWithIdsOfSeveralColumnsIsReadFromTheDatabase() throws Exception {
        database.execute(
                "insert into part select 1, n, n from generate_series(1, 3) as n",
                "insert into piece select n, 'small', n from generate_series(1, 3) as n");
        var context = start(LockStrategy.ROW, Parts.class);
        Parts parts = context.getBean(Parts.class);
        List<PartId> ids = IntStream.rangeClosed(1, 3)
                .mapToObj(number -> new PartId(1, number))
                .toList();
        List<PieceId> pieces = IntStream.rangeClosed(1, 3)
                .mapToObj(number -> new PieceId("small", number))
                .toList();
        assertThat(parts.sum(ids) + parts.sumOfPieces(pieces)).isEqualTo(12);
        database.execute("update part set amount = 10", "update piece set amount = 20");
        assertThat(parts.sum(ids)).isEqualTo(30);
        assertThat(parts.sumOfPieces(pieces)).isEqualTo(60);
    }

    @Test
    void anIdOfAPlainIdClassGoesPastTheCacheToo() throws Exception {
        var context = start(LockStrategy.BOTH, Parts.class);
        database.execute("insert into part values (1, 2, 0)");
        Parts parts = context.getBean(Parts.class);
        assertThat(parts.read()).isZero();
        database.execute("update part set amount = 7");
        assertThat(parts.read()).as("what the cache has").isZero();
        assertThat(parts.change(1, 2)).isEqualTo(7);
    }

    /** With open-in-view, for example, a session outlives its transactions. */
    @Test
    void whenTheTransactionHasEndedTheSessionReadsFromTheCacheAgain() {
        var context = start(LockStrategy.ADVISORY, Accounts.class);
        EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
        EntityManager view = factory.createEntityManager();
        TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(view));
        try {
            org.hibernate.Session session = view.unwrap(org.hibernate.Session.class);
            context.inTransaction(status -> {
                context.template().lock(forNoKeyUpdate(LockKey.rows("account", List.of(1, 2))));
                assertThat(session.getCacheMode()).isEqualTo(CacheMode.PUT);
            });
            assertThat(session.getCacheMode()).isEqualTo(CacheMode.NORMAL);
            assertThat(session.getProperties().get("jakarta.persistence.cache.retrieveMode"))
                    .isEqualTo(CacheRetrieveMode.USE);
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
            view.close();
        }
    }
}
