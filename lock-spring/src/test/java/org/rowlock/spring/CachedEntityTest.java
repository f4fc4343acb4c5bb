package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forUpdate;

import com.github.benmanes.caffeine.jcache.spi.CaffeineCachingProvider;
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
import jakarta.persistence.Table;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.hibernate.CacheMode;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.libraries.JpaTransactions;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Behind the lock an entity is what the database has, also where the second-level cache has it as it was. */
@Tag("long")
class CachedEntityTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            2,
            "create table part (a int, b int, amount bigint not null, primary key (a, b))",
            "create table piece (number int, kind text, amount bigint not null, primary key (number, kind))");

    private static final LockKey ACCOUNT = LockKey.row("account", 1);

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
        int a;
        int b;

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

    /** Its mapping has the columns in another order than the primary key. */
    @Entity
    @Table(name = "piece")
    @Cacheable
    @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
    static class Piece {
        @EmbeddedId
        PieceId id;

        long amount;
    }

    record Command(Integer account) {}

    static class Accounts {
        private final EntityManager entities;
        private final RowLockTemplate locks;

        Accounts(EntityManagerFactory factory, RowLockTemplate locks) {
            this.locks = locks;
            this.entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        }

        @Transactional
        public long read(long id) {
            return entities.find(Account.class, id).balance;
        }

        public void inTransaction() {
            locks.inTransaction(forNoKeyUpdate(ACCOUNT), () -> add(1));
        }

        private long add(long id) {
            return entities.find(Account.class, id).balance += 1;
        }

        @Transactional
        public void table(@RowLock("account") long id) {
            add(id);
        }

        @Transactional
        public void entity(@RowLock(entity = Account.class) Long id) {
            add(id);
        }

        /** By hand, as by annotation. */
        @Transactional
        public void template(Consumer<RowLockTemplate> locking) {
            locking.accept(locks);
            add(1);
        }

        @Transactional
        public void several(@RowLock("account") List<Integer> ids) {
            ids.forEach(this::add);
        }

        @Transactional
        @RowLock(table = "account", id = "#command.account")
        public void expression(Command command) {
            add(command.account());
        }
    }

    static class Parts {
        private final EntityManager entities;

        Parts(EntityManagerFactory factory) {
            this.entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        }

        @Transactional
        @RowLock(
                table = "part",
                id = {"#a", "#b"})
        public long change(int a, int b) {
            return read();
        }

        @Transactional
        public long changeById(@RowLock("part") PartId id) {
            return read();
        }

        @Transactional
        @RowLock(table = "part", id = "#ids")
        public long sum(List<PartId> ids) {
            return ids.stream()
                    .mapToLong(id -> entities.find(Part.class, id).amount)
                    .sum();
        }

        @Transactional
        @RowLock(table = "piece", id = "#ids.![{number(), kind()}]")
        public long sumOfPieces(List<PieceId> ids) {
            return ids.stream()
                    .mapToLong(id -> entities.find(Piece.class, id).amount)
                    .sum();
        }

        @Transactional
        public long read() {
            PartId id = new PartId();
            id.a = 1;
            id.b = 2;
            return entities.find(Part.class, id).amount;
        }
    }

    private AnnotationConfigApplicationContext start(LockStrategy strategy, Class<?>... components) {
        Map<String, Object> cache = Map.of(
                "hibernate.cache.region.factory_class",
                "jcache",
                "hibernate.javax.cache.provider",
                CaffeineCachingProvider.class.getName(),
                "hibernate.javax.cache.missing_cache_strategy",
                "create",
                "hibernate.generate_statistics",
                true);
        return RowLockTests.start(
                beans -> {
                    beans.registerBean(
                            "dataSource",
                            DataSource.class,
                            () -> dataSource == null ? database.dataSource() : dataSource);
                    beans.registerBean(Unit.class, () -> new Unit(cache, Account.class, Part.class, Piece.class));
                    Contexts.locks(beans, strategy);
                    beans.register(components);
                },
                JpaTransactions.class);
    }

    private static void call(Accounts accounts, String form) {
        switch (form) {
            case "table" -> accounts.table(1);
            case "entity" -> accounts.entity(1L);
            case "lock" -> accounts.template(locks -> locks.lock(forNoKeyUpdate(ACCOUNT)));
            case "lockAll" ->
                accounts.template(locks -> locks.lock(forNoKeyUpdate(List.of(LockKey.row("account", 2), ACCOUNT))));
            case "tryLock" ->
                accounts.template(locks -> locks.tryLock(forNoKeyUpdate(ACCOUNT).atMost(TestDatabase.DEADLINE))
                        .isHeld());
            case "lockAndRead" ->
                accounts.template(locks -> locks.lockAndRead(forNoKeyUpdate(ACCOUNT), "select 1", row -> 1));
            case "inTransaction" -> accounts.inTransaction();
            case "several" -> accounts.several(List.of(2, 1));
            case "expression" -> accounts.expression(new Command(1));
            default -> throw new IllegalArgumentException(form);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "table",
                "entity",
                "several",
                "expression",
                "lock",
                "lockAll",
                "tryLock",
                "lockAndRead",
                "inTransaction"
            })
    void whatTheHolderBeforeWroteIsNotLost(String form) throws Exception {
        addFiftyThenOne(LockStrategy.BOTH, form);
    }

    @ParameterizedTest
    @EnumSource
    void withEachStrategy(LockStrategy strategy) throws Exception {
        addFiftyThenOne(strategy, "table");
    }

    /** The writer is another instance, or plain SQL: this one's cache does not hear of it. */
    private void addFiftyThenOne(LockStrategy strategy, String form) throws Exception {
        try (var context = start(strategy, Accounts.class)) {
            Accounts accounts = context.getBean(Accounts.class);
            assertThat(accounts.read(1) + accounts.read(2)).isZero();
            assertThat(context.getBean(EntityManagerFactory.class).getCache().contains(Account.class, 1L))
                    .as("in the second-level cache")
                    .isTrue();
            Session other = database.session("other");
            other.run(connection -> LockAccess.builder()
                    .strategy(strategy)
                    .build()
                    .in(connection)
                    .lock(forUpdate(LockKey.row("account", 1))));
            other.execute("update account set balance = balance + 50 where id = 1");
            var call = CompletableFuture.runAsync(() -> call(accounts, form), Blocking.NEW_THREAD);
            Blocking.awaitWaiterBehind(database.dataSource(), other.pid());
            other.commit();
            TestDatabase.result(call);
            assertThat(database.query("select balance from account where id = 1"))
                    .isEqualTo("51");
            assertThat(accounts.read(1)).as("what the cache has now").isEqualTo(51);
        }
    }

    /** The transaction manager looks through such a proxy, and the factory has it. */
    @Test
    void behindADataSourceThatTakesPartInTransactions() throws Exception {
        dataSource = new TransactionAwareDataSourceProxy(database.dataSource());
        addFiftyThenOne(LockStrategy.BOTH, "table");
    }

    /** The read behind the lock is the one that the method would have made. */
    @Test
    void theEntityIsReadOnce() {
        try (var context = start(LockStrategy.ADVISORY, Accounts.class)) {
            var statistics = context.getBean(EntityManagerFactory.class)
                    .unwrap(SessionFactory.class)
                    .getStatistics();
            context.getBean(Accounts.class).table(1);
            assertThat(statistics.getEntityLoadCount()).isEqualTo(1);
        }
    }

    /** One statement, as of the query that the lock stands in for, and not one for each. */
    @Test
    void aListOfCachedEntitiesIsReadAtOnce() {
        try (var context = start(LockStrategy.BOTH, Accounts.class)) {
            Accounts accounts = context.getBean(Accounts.class);
            assertThat(accounts.read(1) + accounts.read(2)).isZero();
            var statistics = context.getBean(EntityManagerFactory.class)
                    .unwrap(SessionFactory.class)
                    .getStatistics();
            statistics.clear();
            accounts.several(List.of(2, 1));
            // To read both, and to write each.
            assertThat(statistics.getPrepareStatementCount()).isLessThanOrEqualTo(3);
            assertThat(statistics.getEntityLoadCount()).isEqualTo(2);
        }
    }

    @Test
    void aListOfCachedEntitiesWithIdsOfSeveralColumnsIsReadAtOnce() throws Exception {
        database.execute(
                "insert into part select 1, n, n from generate_series(1, 3) as n",
                "insert into piece select n, 'small', n from generate_series(1, 3) as n");
        try (var context = start(LockStrategy.ROW, Parts.class)) {
            Parts parts = context.getBean(Parts.class);
            List<PartId> ids = IntStream.rangeClosed(1, 3)
                    .mapToObj(number -> {
                        PartId id = new PartId();
                        id.a = 1;
                        id.b = number;
                        return id;
                    })
                    .toList();
            List<PieceId> pieces = IntStream.rangeClosed(1, 3)
                    .mapToObj(number -> new PieceId("small", number))
                    .toList();
            assertThat(parts.sum(ids) + parts.sumOfPieces(pieces)).isEqualTo(12);
            database.execute("update part set amount = 10", "update piece set amount = 20");
            var statistics = context.getBean(EntityManagerFactory.class)
                    .unwrap(SessionFactory.class)
                    .getStatistics();
            statistics.clear();
            assertThat(parts.sum(ids)).isEqualTo(30);
            assertThat(statistics.getPrepareStatementCount()).isEqualTo(1);
            assertThat(parts.sumOfPieces(pieces)).isEqualTo(60);
            assertThat(statistics.getPrepareStatementCount()).isEqualTo(2);
        }
    }

    @Test
    void aPlainIdClassIsAnId() throws Exception {
        try (var context = start(LockStrategy.BOTH, Parts.class)) {
            database.execute("insert into part values (1, 2, 0)");
            Parts parts = context.getBean(Parts.class);
            assertThat(parts.read()).isZero();
            database.execute("update part set amount = 7");
            PartId id = new PartId();
            id.a = 1;
            id.b = 2;
            assertThat(parts.changeById(id)).isEqualTo(7);
        }
    }

    /** Of a plain id class the parts can be given one by one. */
    @Test
    void anIdInPartsGoesPastTheCacheToo() throws Exception {
        try (var context = start(LockStrategy.BOTH, Parts.class)) {
            database.execute("insert into part values (1, 2, 0)");
            Parts parts = context.getBean(Parts.class);
            assertThat(parts.read()).isZero();
            database.execute("update part set amount = 7");
            assertThat(parts.read()).as("what the cache has").isZero();
            assertThat(parts.change(1, 2)).isEqualTo(7);
        }
    }

    /** A session may outlive its transactions, as with open-in-view. */
    @Test
    void whenTheTransactionHasEndedTheSessionReadsFromTheCacheAgain() {
        try (var context = start(LockStrategy.ADVISORY, Accounts.class)) {
            EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
            EntityManager view = factory.createEntityManager();
            TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(view));
            try {
                org.hibernate.Session session = view.unwrap(org.hibernate.Session.class);
                context.getBean(Accounts.class).template(locks -> {
                    locks.lock(forNoKeyUpdate(ACCOUNT));
                    locks.lock(forNoKeyUpdate(LockKey.row("account", 2)));
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
}
