package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Contexts.InTransaction;
import org.rowlock.testing.TestDatabase;
import org.springframework.transaction.annotation.Transactional;

/** Checks ids of several columns, and typed ids. */
@Tag("long")
class IdObjectsTest {
    private static final LockKey KEY = LockKey.row("order_line", 7, 1);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table order_line (order_id bigint, line_no int, amount int, primary key (order_id, line_no))",
            "insert into order_line values (7, 1, 0), (7, 2, 0)",
            "create table doc (tenant_id int, id int, primary key (tenant_id, id))",
            "insert into doc values (1, 2)");

    record OrderId(long value) {}

    record OrderLineId(long orderId, int lineNo) {}

    record SwappedId(int lineNo, long orderId) {}

    record Command(OrderLineId line) {}

    @Transactional
    static class Lines {
        public void whole(@RowLock("order_line") OrderLineId id) {}

        @RowLock(table = "order_line", id = "#ids.![{orderId, lineNo}]")
        public void several(List<OrderLineId> ids, Runnable work) {
            work.run();
        }

        @RowLock(
                table = "order_line",
                id = {"#order", "#line"})
        public void parts(int line, long order, Runnable work) {
            work.run();
        }

        @RowLock(
                table = "order_line",
                id = {"#command.line.orderId", "#command.line.lineNo"})
        public void expressions(Command command, Runnable work) {
            work.run();
        }

        @RowLock(
                table = "order_line",
                id = {"#order", "#line"})
        public void typedPart(OrderId order, int line, Runnable work) {
            work.run();
        }

        @RowLock(table = "order_line", id = "{{#order, #line}}")
        public void listOfParts(OrderId order, int line, Runnable work) {
            work.run();
        }
    }

    @Test
    void everyWayToWriteTheIdIsTheSameLock() {
        Lines lines = start(Lines.class).getBean(Lines.class);
        OrderLineId id = new OrderLineId(7, 1);
        int[] ran = new int[1];
        Runnable locked = () -> {
            ran[0]++;
            assertThat(isFree(KEY)).isFalse();
            assertThat(isFree(LockKey.row("order_line", 7, 3))).isTrue();
        };
        lines.several(List.of(new OrderLineId(7, 2), id), locked);
        lines.parts(1, 7, locked);
        lines.expressions(new Command(id), locked);
        lines.typedPart(new OrderId(7), 1, locked);
        lines.listOfParts(new OrderId(7), 1, locked);
        assertThat(ran[0]).isEqualTo(5);
        assertThat(isFree(KEY)).isTrue();
    }

    /** The order of the components may differ from the order of the columns. */
    @Test
    void anObjectOfSeveralComponentsIsRefused() {
        Lines lines = start(Lines.class).getBean(Lines.class);
        assertThatThrownBy(() -> lines.whole(new OrderLineId(7, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("Lines.whole(OrderLineId)", "cannot be a lock key");
    }

    static class SwappedParameters extends InTransaction {
        @RowLock(
                table = "order_line",
                id = {"#lineNo", "#order"})
        public void lock(int lineNo, long order) {}
    }

    static class SwappedExpressions extends InTransaction {
        @RowLock(
                table = "order_line",
                id = {"#id.lineNo()", "#id.orderId()"})
        public void lock(SwappedId id) {}
    }

    static class Mapped extends InTransaction {
        @RowLock(
                table = "order_line",
                id = {"#first", "#second"})
        public void lock(int first, int second) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {SwappedParameters.class, SwappedExpressions.class})
    void partsInAnotherOrderThanThePrimaryKeyFailTheStart(Class<?> service) {
        assertBadDefinition(() -> start(service))
                .hasMessageContaining(service.getSimpleName() + ".lock(")
                .hasMessageContaining("another order than the primary key of order_line, which is [order_id, line_no]");
    }

    static class SwappedTenant extends InTransaction {
        @RowLock(
                table = "doc",
                id = {"#id", "#tenantId"})
        public void lock(int tenantId, int id) {}
    }

    @Test
    void aColumnThatIsCalledIdHasAnOrderToo() {
        assertBadDefinition(() -> start(SwappedTenant.class))
                .hasMessageContaining("another order than the primary key of doc, which is [tenant_id, id]");
    }

    static class Computed extends InTransaction {
        @RowLock(
                table = "order_line",
                id = {"#line < #order ? #line : #order", "#line < #order ? #order : #line"})
        public void lock(int line, int order) {}
    }

    /** Names that differ from the names of the columns prove no order. */
    @ParameterizedTest
    @ValueSource(classes = {Mapped.class, Computed.class})
    void namesThatAreNotThoseOfTheColumnsAreLeftAlone(Class<?> service) {
        start(service);
    }

    /** If the id columns are configured, their order is the order of the parts. */
    @Test
    void configuredColumnsAreBelieved() {
        RowLocks locks = LockAccess.builder()
                .idColumns("order_line", "line_no", "order_id")
                .build();
        Contexts.start(database, beans -> Contexts.locks(beans, locks), SwappedParameters.class);
    }

    record Tenant(int id) {}

    record Doc(int id, int number) {}

    @Transactional
    static class Docs {
        @RowLock(
                table = "doc",
                id = {"#tenant.id", "#doc.id"})
        public boolean byIds(Tenant tenant, Doc doc) {
            return true;
        }

        @RowLock(
                table = "doc",
                id = {"#tenant.id", "#doc.number"})
        public boolean byNumber(Tenant tenant, Doc doc) {
            return true;
        }
    }

    /** The last name of an expression can match no column, or can be equal for two parts. */
    @Test
    void namesThatAreNotThoseOfAllColumnsTellNoOrder() {
        Docs docs = start(Docs.class).getBean(Docs.class);
        assertThat(docs.byIds(new Tenant(1), new Doc(2, 2))).isTrue();
        assertThat(docs.byNumber(new Tenant(1), new Doc(2, 2))).isTrue();
    }

    private boolean isFree(LockKey key) {
        return RowLockTests.isFree(database.dataSource(), key);
    }

    private TestContext start(Class<?> service) {
        return Contexts.start(database, service);
    }
}
