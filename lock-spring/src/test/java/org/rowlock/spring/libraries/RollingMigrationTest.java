package org.rowlock.spring.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.Cacheable;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockStrategy;
import org.rowlock.spring.Blocking;
import org.rowlock.spring.Contexts;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.TestContext;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.annotation.Transactional;

/**
 * Migrates a Hibernate application with foreign keys and a second-level cache by the steps of docs/migrating.md, from
 * PESSIMISTIC_WRITE to ADVISORY and back. In each step two instances run. Every sum must be exact, and every call must
 * succeed.
 */
@Tag("long")
class RollingMigrationTest {
    private static final int ORDERS = 2;
    private static final int THREADS = 2;
    private static final int ROUNDS = 4;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table orders (id bigint primary key, total bigint not null default 0)",
            "create table line (id bigint generated always as identity primary key,"
                    + " orders_id bigint not null references orders, amount bigint not null)",
            "insert into orders select generate_series(1, " + ORDERS + ")");

    private int instances;
    private long added;

    @Entity
    @Table(name = "orders")
    @Cacheable
    @Cache(usage = CacheConcurrencyStrategy.READ_WRITE, region = "orders")
    static class Order {
        @Id
        Long id;

        long total;

        /** A method instead of access to the field, because find() returns the proxy of an earlier getReference(). */
        void add(long amount) {
            total += amount;
        }
    }

    @Entity
    @Table(name = "line")
    static class Line {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        @ManyToOne
        Order orders;

        long amount;

        Line() {}

        Line(Order order, long amount) {
            this.orders = order;
            this.amount = amount;
        }
    }

    /** The operations of the application on its orders. */
    interface Service {
        /** Locks the order, and then inserts a line that references the order. */
        void add(long order, long amount);

        /** Inserts a line that references the order, and then locks the order. */
        void addLineFirst(long order, long amount);

        /** Locks several orders. */
        void addToAll(List<Long> orders, long amount);

        /** Reads without a lock, and thereby fills the cache. */
        long total(long order);
    }

    /** The code that all versions of the application share. */
    abstract static class Orders implements Service {
        @PersistenceContext
        EntityManager entities;

        void add(Order order, long amount) {
            order.add(amount);
            entities.persist(new Line(order, amount));
        }

        void insertLine(long order, long amount) {
            entities.persist(new Line(entities.getReference(Order.class, order), amount));
            entities.flush();
        }

        @Override
        @Transactional(readOnly = true)
        public long total(long order) {
            return entities.find(Order.class, order).total;
        }
    }

    static class Before extends Orders {
        @Override
        @Transactional
        public void add(long order, long amount) {
            add(entities.find(Order.class, order, LockModeType.PESSIMISTIC_WRITE), amount);
        }

        @Override
        @Transactional
        public void addLineFirst(long order, long amount) {
            insertLine(order, amount);
            entities.find(Order.class, order, LockModeType.PESSIMISTIC_WRITE).add(amount);
        }

        @Override
        @Transactional
        public void addToAll(List<Long> orders, long amount) {
            entities.createQuery(
                            "select o from RollingMigrationTest$Order o where o.id in :ids order by o.id", Order.class)
                    .setParameter("ids", orders)
                    .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                    .getResultList()
                    .forEach(order -> add(order, amount));
        }
    }

    static class After extends Orders {
        @Autowired
        Totals totals;

        @Override
        @Transactional
        public void add(@RowLock("orders") long order, long amount) {
            add(entities.find(Order.class, order), amount);
        }

        @Override
        @Transactional
        public void addLineFirst(long order, long amount) {
            insertLine(order, amount);
            totals.add(order, amount);
        }

        @Override
        @Transactional
        public void addToAll(@RowLock("orders") List<Long> orders, long amount) {
            orders.forEach(order -> add(entities.find(Order.class, order), amount));
        }
    }

    /** A separate bean, because a call within one bean would not lock. */
    static class Totals {
        @PersistenceContext
        EntityManager entities;

        @Transactional
        public void add(@RowLock("orders") long order, long amount) {
            entities.find(Order.class, order).add(amount);
        }
    }

    /** Starts an instance with its own pool and cache. */
    private TestContext start(LockStrategy strategy, Class<?>... services) {
        Map<String, Object> cache = new HashMap<>(JpaTransactions.CACHE);
        cache.put("hibernate.cache.region_prefix", database.schema() + '_' + ++instances);
        HikariDataSource pool = Contexts.pool(database);
        pool.setMaximumPoolSize(THREADS + 1);
        return Contexts.jpa(
                database,
                pool,
                new Unit(cache, Order.class, Line.class),
                beans -> Contexts.locks(beans, strategy),
                services);
    }

    private TestContext start(LockStrategy strategy) {
        return start(strategy, Totals.class, After.class);
    }

    private void run(TestContext... together) throws Exception {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (TestContext instance : together) {
            Service service = instance.getBean(Service.class);
            for (int thread = 0; thread < THREADS; thread++) {
                all.add(Blocking.run(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        long order = 1 + round % ORDERS;
                        service.total(order);
                        service.add(order, 1);
                        service.addLineFirst(order, 1);
                        service.addToAll(List.of(2L, 1L), 1);
                    }
                }));
            }
        }
        for (CompletableFuture<Void> each : all) {
            each.get(4 * TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        }
        added += (long) all.size() * ROUNDS * (2 + ORDERS);
        assertThat(database.query("select sum(total) from orders")).isEqualTo(String.valueOf(added));
        assertThat(database.query("select sum(amount) from line")).isEqualTo(String.valueOf(added));
        assertThat(database.query("select count(*) from orders o where total <> (select sum(amount) from line l"
                        + " where l.orders_id = o.id)"))
                .isEqualTo("0");
    }

    /** All instances run from the beginning. They share a cache manager, which closes with the first instance. */
    @Test
    void everyStepKeepsEverySum() throws Exception {
        var old = start(LockStrategy.ROW, Before.class);
        var row = start(LockStrategy.ROW);
        var both = start(LockStrategy.BOTH);
        var advisory = start(LockStrategy.ADVISORY);
        var another = start(LockStrategy.ADVISORY);
        run(old);
        run(old, row);
        run(row, both);
        run(old, both);
        run(both, advisory);
        run(advisory, another);
        run(advisory, both);
        run(both, row);
        run(row, old);
    }
}
