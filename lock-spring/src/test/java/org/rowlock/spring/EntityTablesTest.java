package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.hibernate.boot.model.naming.CamelCaseToUnderscoresNamingStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.spring.Contexts.InTransaction;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;
import org.springframework.transaction.annotation.Transactional;

/** Checks that {@code entity = ...} locks in the table that contains the entity's rows. */
@Tag("long")
class EntityTablesTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table shop_order (id bigint primary key)",
            "create table \"Quoted Order\" (id bigint primary key)",
            "create table order_line (order_id bigint, line_no int, primary key (order_id, line_no))",
            "create table OrderLine (order_id bigint, line_no int, primary key (order_id, line_no))",
            "create table payment (id bigint primary key, amount bigint)",
            "create table card_payment (id bigint primary key references payment, card text)",
            "create table vehicle (id bigint primary key, dtype text)",
            "create table shape (id bigint primary key)",
            "create table circle (id bigint primary key)",
            "create schema if not exists rowlock_entity_tables",
            "create table if not exists rowlock_entity_tables.shipment (id bigint primary key)",
            "insert into rowlock_entity_tables.shipment values (1) on conflict do nothing",
            "insert into shop_order values (1)",
            "insert into \"Quoted Order\" values (1)",
            "insert into order_line values (7, 1)",
            "insert into OrderLine values (7, 1)",
            "insert into payment values (1, 1)",
            "insert into card_payment values (1, '')",
            "insert into vehicle values (1, 'Truck')",
            "insert into circle values (1)");

    private static final Class<?>[] ENTITIES = Arrays.stream(EntityTablesTest.class.getDeclaredClasses())
            .filter(each -> each.isAnnotationPresent(Entity.class))
            .toArray(Class<?>[]::new);

    @MappedSuperclass
    abstract static class Row {
        @Id
        long id;
    }

    @Entity
    @Table(name = "shop_order")
    static class Order extends Row {}

    @Entity
    @Table(name = "`Quoted Order`")
    static class QuotedOrder extends Row {}

    @Entity
    @Table(name = "shipment", schema = "rowlock_entity_tables")
    static class Shipment extends Row {}

    @Embeddable
    static class OrderLineId implements Serializable {
        private static final long serialVersionUID = 1;

        @Column(name = "order_id")
        private long orderId;

        @Column(name = "line_no")
        private int lineNo;

        @Override
        public boolean equals(Object other) {
            return other instanceof OrderLineId id && id.orderId == orderId && id.lineNo == lineNo;
        }

        @Override
        public int hashCode() {
            return Objects.hash(orderId, lineNo);
        }
    }

    @Entity(name = "OrderLine")
    static class OrderLine {
        @EmbeddedId
        OrderLineId id;
    }

    @Entity
    @Table(name = "payment")
    @Inheritance(strategy = InheritanceType.JOINED)
    static class Payment extends Row {
        long amount;
    }

    @Entity
    @Table(name = "card_payment")
    static class CardPayment extends Payment {
        String card;
    }

    @Entity
    @Table(name = "vehicle")
    static class Vehicle extends Row {}

    @Entity
    static class Truck extends Vehicle {}

    @Entity
    @Table(name = "shape")
    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    static class Shape extends Row {}

    @Entity
    @Table(name = "circle")
    static class Circle extends Shape {}

    @Transactional
    static class Orders {
        public void order(@RowLock(entity = Order.class) long id, Runnable work) {
            work.run();
        }

        public void shipment(@RowLock(entity = Shipment.class) long id, Runnable work) {
            work.run();
        }

        @RowLock(
                entity = OrderLine.class,
                id = {"#orderId", "#lineNo"})
        public void line(long orderId, int lineNo, Runnable work) {
            work.run();
        }
    }

    @Transactional
    static class Service extends Orders {
        public void payment(@RowLock(entity = Payment.class) long id, Runnable work) {
            work.run();
        }

        public void cardPayment(@RowLock(entity = CardPayment.class) long id, Runnable work) {
            work.run();
        }

        public void truck(@RowLock(entity = Truck.class) long id, Runnable work) {
            work.run();
        }

        public void circle(@RowLock(entity = Circle.class) long id, Runnable work) {
            work.run();
        }
    }

    static class OfQuoted extends InTransaction {
        public void quoted(@RowLock(entity = QuotedOrder.class) long id, Runnable work) {
            work.run();
        }
    }

    static class OfShapes extends InTransaction {
        public void shape(@RowLock(entity = Shape.class) long id) {}
    }

    static class OfOwnShapes extends InTransaction {
        public void shape(@RowLock("shape") long id) {}
    }

    static class OfNoEntity extends InTransaction {
        public void lock(@RowLock(entity = Map.class) long id) {}
    }

    @Test
    void asHibernateMapsThem() {
        Service service = startJpa(
                        Map.of(
                                "hibernate.physical_naming_strategy",
                                CamelCaseToUnderscoresNamingStrategy.class.getName()),
                        Service.class)
                .getBean(Service.class);
        service.order(1, locked(LockKey.row("shop_order", 1)));
        service.shipment(1, locked(LockKey.row("rowlock_entity_tables.shipment", 1)));
        service.line(7, 1, locked(LockKey.row("order_line", 7, 1)));
        service.truck(1, locked(LockKey.row("vehicle", 1)));
        service.circle(1, locked(LockKey.row("circle", 1)));
    }

    @Test
    void theTableOfTheRootHasEveryRowOfAJoinedHierarchy() {
        Service service = startJpa(Map.of(), Service.class).getBean(Service.class);
        service.payment(1, locked(LockKey.row("payment", 1)));
        service.cardPayment(1, locked(LockKey.row("payment", 1)));
    }

    static class OfJoinedSubclass extends InTransaction {
        public void lock(@RowLock("card_payment") long id) {}
    }

    /** Each entity has a row in both tables, and a lock in one table does not exclude a lock in the other table. */
    @Test
    void theTableOfAJoinedSubclassIsRefused() {
        assertThatThrownBy(() -> startJpa(Map.of(), OfJoinedSubclass.class))
                .hasStackTraceContaining("OfJoinedSubclass.lock(long) names the table card_payment")
                .hasStackTraceContaining("Name the table payment");
        var context = startJpa(Map.of(), Service.class);
        RowLockTemplate template = context.template();
        assertMisuse(() ->
                        context.inTransaction(status -> template.lock(forNoKeyUpdate(LockKey.row("card_payment", 1)))))
                .hasMessageContainingAll("card_payment", "Name the table payment");
        context.inTransaction(status -> template.lock(forNoKeyUpdate(LockKey.row("payment", 1))));
    }

    @Test
    void quotedNamesStayAsTheyAre() {
        var context = startJpa(Map.of(), OfQuoted.class);
        context.getBean(OfQuoted.class).quoted(1, locked(LockKey.row("\"Quoted Order\"", 1)));
    }

    /** Hibernate's own default leaves the name OrderLine unchanged, and PostgreSQL folds the name to orderline. */
    @Test
    void anotherNamingStrategyIsAnotherTable() {
        var context = startJpa(Map.of(), Service.class);
        context.getBean(Service.class).line(7, 1, () -> {
            assertThat(isFree(LockKey.row("orderline", 7, 1))).isFalse();
            assertThat(isFree(LockKey.row("order_line", 7, 1))).isTrue();
        });
    }

    /** Rows of a Shape are in several tables, one for each subclass. */
    @Test
    void anEntityWithoutATableOfItsOwnFailsTheStart() {
        assertBadDefinition(() -> startJpa(Map.of(), OfShapes.class))
                .hasMessageContainingAll("OfShapes.shape(long)", "several tables");
    }

    @Test
    void aClassThatIsNoEntityFailsTheStart() {
        assertBadDefinition(() -> startJpa(Map.of(), OfNoEntity.class))
                .hasMessageContainingAll(
                        "OfNoEntity.lock(long) names the entity java.util.Map, which has no table",
                        "Name an entity of Hibernate, or give the table");
    }

    @Test
    void withoutHibernateAnEntityFailsTheStart() {
        assertBadDefinition(() -> Contexts.start(database, OfQuoted.class))
                .hasMessageContainingAll("OfQuoted.quoted(long, Runnable)", "Hibernate does not map");
    }

    private Runnable locked(LockKey key) {
        assertThat(isFree(key)).isTrue();
        return () -> assertThat(isFree(key)).as("free: " + key).isFalse();
    }

    private boolean isFree(LockKey key) {
        return RowLockTests.isFree(database.dataSource(), key);
    }

    private TestContext startJpa(Map<String, ?> properties, Class<?> service) {
        return Contexts.jpa(database, new Unit(properties, ENTITIES), service);
    }
}
