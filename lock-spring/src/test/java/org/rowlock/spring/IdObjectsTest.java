package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Embeddable;
import java.util.List;
import java.util.UUID;
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

/** Checks ids of several columns, and ids that are objects. */
@Tag("long")
class IdObjectsTest {
    private static final LockKey KEY = LockKey.row("order_line", 7, 1);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table orders (id bigint primary key)",
            "insert into orders values (7)",
            "create table order_line (order_id bigint, line_no int, amount int, primary key (order_id, line_no))",
            "insert into order_line values (7, 1, 0), (7, 2, 0)",
            "create table tenant_order (tenant uuid, order_id bigint, line_no int, primary key (tenant, order_id, line_no))",
            "insert into tenant_order values ('00000000-0000-0004-0000-000000000002', 7, 1)");

    record OrderId(long value) {}

    record OrderLineId(long orderId, int lineNo) {}

    record TypedLineId(OrderId orderId, int lineNo) {}

    record SwappedId(int lineNo, long orderId) {}

    record LongId(long orderId, int lineNo, int more) {}

    record MappedId(int first, int second) {}

    record TenantLineId(UUID tenant, OrderLineId line) {}

    @Embeddable
    static class EmbeddedId {
        static final int VERSION = 1;
        private final long orderId;
        private final int lineNo;

        EmbeddedId(long orderId, int lineNo) {
            this.orderId = orderId;
            this.lineNo = lineNo;
        }
    }

    @Embeddable
    static class SwappedEmbeddedId {
        int lineNo = 1;
        long orderId = 7;
    }

    record Command(OrderLineId line) {}

    @Transactional
    static class Lines {
        public void typed(@RowLock("orders") OrderId id, Runnable work) {
            work.run();
        }

        public void record(@RowLock("order_line") OrderLineId id, Runnable work) {
            work.run();
        }

        public void nested(@RowLock("order_line") TypedLineId id, Runnable work) {
            work.run();
        }

        public void embeddable(@RowLock("order_line") EmbeddedId id, Runnable work) {
            work.run();
        }

        public void several(@RowLock("order_line") List<OrderLineId> ids, Runnable work) {
            work.run();
        }

        @RowLock(
                table = "order_line",
                id = {"#order", "#line"})
        public void parts(int line, long order, Runnable work) {
            work.run();
        }

        @RowLock(table = "order_line", id = "#command.line")
        public void expression(Command command, Runnable work) {
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

        public void threeColumns(@RowLock("tenant_order") TenantLineId id, Runnable work) {
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
        lines.record(id, locked);
        lines.nested(new TypedLineId(new OrderId(7), 1), locked);
        lines.embeddable(new EmbeddedId(7, 1), locked);
        lines.several(List.of(new OrderLineId(7, 2), id), locked);
        lines.parts(1, 7, locked);
        lines.expression(new Command(id), locked);
        lines.expressions(new Command(id), locked);
        lines.typedPart(new OrderId(7), 1, locked);
        lines.listOfParts(new OrderId(7), 1, locked);
        assertThat(ran[0]).isEqualTo(9);
        assertThat(isFree(KEY)).isTrue();
    }

    @Test
    void aTypedIdIsTheLockOfItsValueAndOneWithinAnIdGivesItsPartsInItsPlace() {
        UUID tenant = new UUID(4, 2);
        Lines lines = start(Lines.class).getBean(Lines.class);
        lines.typed(
                new OrderId(7),
                () -> assertThat(isFree(LockKey.row("orders", 7))).isFalse());
        lines.threeColumns(
                new TenantLineId(tenant, new OrderLineId(7, 1)),
                () -> assertThat(isFree(LockKey.row("tenant_order", tenant, 7, 1)))
                        .isFalse());
    }

    static class SwappedRecord extends InTransaction {
        public void lock(@RowLock("order_line") SwappedId id) {}
    }

    static class SwappedEmbeddable extends InTransaction {
        public void lock(@RowLock("order_line") SwappedEmbeddedId id) {}
    }

    static class SeveralSwapped extends InTransaction {
        public void lock(@RowLock("order_line") List<SwappedId> ids) {}
    }

    static class ArrayOfSwapped extends InTransaction {
        public void lock(@RowLock("order_line") SwappedId[] ids) {}
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
                id = {"#id.lineNo()", "#orderId"})
        public void lock(SwappedId id, long orderId) {}
    }

    static class SwappedInAnExpression extends InTransaction {
        @RowLock(table = "order_line", id = "#holder.id")
        public void lock(Holder holder) {}
    }

    record Holder(SwappedId id) {}

    static class TooLong extends InTransaction {
        public void lock(@RowLock("order_line") LongId id) {}
    }

    static class Mapped extends InTransaction {
        public void lock(@RowLock("order_line") MappedId id) {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                SwappedRecord.class,
                SwappedEmbeddable.class,
                SeveralSwapped.class,
                ArrayOfSwapped.class,
                SwappedParameters.class,
                SwappedExpressions.class,
                SwappedInAnExpression.class
            })
    void componentsInAnotherOrderThanThePrimaryKeyFailTheStart(Class<?> service) {
        assertThatThrownBy(() -> start(service))
                .isInstanceOf(RowLockDefinitionException.class)
                .hasMessageContaining(service.getSimpleName() + ".lock(")
                .hasMessageMatching("(?s).*\\[lineNo, order(Id)?].*")
                .hasMessageContaining("the primary key of order_line is [order_id, line_no], in another order");
    }

    @Test
    void morePartsThanThePrimaryKeyHasFailTheStart() {
        assertThatThrownBy(() -> start(TooLong.class))
                .isInstanceOf(RowLockDefinitionException.class)
                .hasMessageContainingAll(
                        "TooLong.lock(", "3 parts", "the primary key of order_line is [order_id, line_no]");
    }

    /** Names that differ from the names of the columns prove no order. */
    @Test
    void namesThatAreNotThoseOfTheColumnsAreLeftAlone() {
        start(Mapped.class);
    }

    /** If the id columns are configured, their order is the order of the parts. */
    @Test
    void configuredColumnsAreBelieved() {
        Contexts.start(
                database,
                beans -> beans.registerBean(
                        RowLocks.class,
                        () -> LockAccess.builder()
                                .idColumns("order_line", "line_no", "order_id")
                                .build(),
                        definition -> definition.setPrimary(true)),
                SwappedRecord.class);
    }

    private boolean isFree(LockKey key) {
        return RowLockTests.isFree(database.dataSource(), key);
    }

    private TestContext start(Class<?> service) {
        return Contexts.start(database, service);
    }
}
