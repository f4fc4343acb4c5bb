package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.spring.Contexts.InTransaction;
import org.rowlock.spring.internal.proxy.LockChains;
import org.rowlock.testing.TestDatabase;
import org.springframework.transaction.annotation.Transactional;

/** Checks that an id in an unusual spelling is rejected, because this spelling would be a different advisory lock. */
@Tag("long")
class IdTypesTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create domain account_id as bigint check (value > 0)",
            "create type color as enum ('RED')",
            "create table account (id account_id primary key)",
            "create table order_line (order_id bigint, line int, primary key (order_id, line))",
            "create table document (id uuid primary key)",
            "create table day (id date primary key)",
            "create table moment (id timestamptz primary key)",
            "create table paint (id color primary key)",
            "create table word (id text primary key)",
            "create domain duration as interval",
            "create table stay (id duration primary key)",
            "create table blob (id bytea primary key)");

    enum Color {
        RED
    }

    record Command(String account, List<String> accounts) {}

    record Line(long orderId, String line) {}

    @Transactional
    static class Spellings {
        public void string(@RowLock("account") String id) {}

        public void strings(@RowLock("account") List<String> ids) {}

        @RowLock(table = "account", id = "#command.account")
        public void path(Command command) {}

        @RowLock(table = "account", id = "#command.accounts()")
        public void pathToSeveral(Command command) {}

        @RowLock(table = "account", id = "#amounts.keySet()")
        public void keys(Map<String, Long> amounts) {}

        @RowLock(
                table = "order_line",
                id = {"#order", "#line"})
        public void part(long order, String line) {}

        @RowLock(
                table = "order_line",
                id = {"#line.orderId", "#line.line"})
        public void component(Line line) {}

        public void dateText(@RowLock("day") String id) {}

        public void localTime(@RowLock("moment") Object id) {}

        public void color(@RowLock("account") Comparable<?> id) {}

        @RowLock(table = "document", id = "#ids.get(0)")
        public void numberForUuid(List<?> ids) {}

        public void parts(@RowLock("account") Object id) {}

        @RowLock(table = "order_line", id = "#ids.get(0)")
        public void part(List<?> ids) {}
    }

    private TestContext start(LockStrategy strategy, Class<?> component) {
        return Contexts.start(database, strategy, component);
    }

    /**
     * If the id's type differs from the column's type, several spellings can mean one row. A call rejects all spellings
     * but one.
     */
    @ParameterizedTest
    @EnumSource
    void anotherSpellingThanThatOfTheKeyIsRefused(LockStrategy strategy) {
        Spellings service = start(strategy, Spellings.class).getBean(Spellings.class);
        assertRefused("account[01]", "another key. Give", () -> service.string("01"));
        assertRefused("account[02]", "another key. Give", () -> service.strings(List.of("1", "02")));
        assertRefused("account[01]", "another key. Give", () -> service.path(new Command("01", List.of())));
        assertRefused("account[01]", "another key. Give", () -> service.pathToSeveral(new Command("1", List.of("01"))));
        assertRefused("account[01]", "another key. Give", () -> service.keys(Map.of("01", 1L)));
        assertRefused("order_line[1, 01]", "another key. Give", () -> service.part(1, "01"));
        assertRefused("order_line[1, 01]", "another key. Give", () -> service.component(new Line(1, "01")));
        assertRefused("day[20261125]", "ISO 8601", () -> service.dateText("20261125"));
        assertRefused(
                "moment[2026-11-25T10:00:00]",
                "ISO 8601",
                () -> service.localTime(LocalDateTime.of(2026, 11, 25, 10, 0)));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNoIdOfTheTableIsRefused(LockStrategy strategy) {
        Spellings service = start(strategy, Spellings.class).getBean(Spellings.class);
        assertRefused("account[RED]", "is not an integer", () -> service.color(Color.RED));
        assertRefused("document[1]", "is not a UUID", () -> service.numberForUuid(List.of(1L)));
        assertRefused("account[4Z]", "is not an integer", () -> service.string("4Z"));
        assertTargetRefused("account[1, 2]", "is [id]", () -> service.parts(List.of(List.of(1, 2))));
        assertTargetRefused("order_line[1]", "is [order_id, line]", () -> service.part(List.of(1)));
        assertTargetRefused(
                "order_line[1, 2, 3]", "is [order_id, line]", () -> service.part(List.of(List.of(List.of(1, 2, 3)))));
    }

    record DayOfLine(long orderId, LocalDate line) {}

    record Cart(DayOfLine line) {}

    @Transactional
    static class OfOtherTypes {
        public void numberForUuid(@RowLock("document") long id) {}

        @RowLock(table = "account", id = "#documents")
        public void uuidForNumber(List<UUID> documents) {}

        public void localTime(@RowLock("moment") LocalDateTime id) {}

        public void colorForNumber(@RowLock("account") Color... ids) {}

        @RowLock(
                table = "order_line",
                id = {"#cart.line.orderId", "#cart.line.line"})
        public void partOfAnotherType(Cart cart) {}
    }

    @ParameterizedTest
    @EnumSource
    void aTypeThatIsNotThatOfTheColumnIsRefused(LockStrategy strategy) {
        OfOtherTypes service = start(strategy, OfOtherTypes.class).getBean(OfOtherTypes.class);
        UUID document = new UUID(0, 1);
        Cart cart = new Cart(new DayOfLine(1, LocalDate.EPOCH));
        assertRefused("document[1]", "is not a UUID", () -> service.numberForUuid(1));
        assertRefused("account[" + document + "]", "is not an integer", () -> service.uuidForNumber(List.of(document)));
        assertRefused(
                "moment[1970-01-01T00:00:00]", "ISO 8601", () -> service.localTime(LocalDate.EPOCH.atStartOfDay()));
        assertRefused("account[RED]", "is not an integer", () -> service.colorForNumber(Color.RED));
        assertRefused("order_line[1, 1970-01-01]", "is not an integer", () -> service.partOfAnotherType(cart));
    }

    private static void assertRefused(String what, String why, ThrowingCallable call) {
        assertTargetRefused(what, why, call);
        assertThatThrownBy(call).hasMessageContaining("for column");
    }

    private static void assertTargetRefused(String what, String why, ThrowingCallable call) {
        assertMisuse(call).hasMessageContainingAll(what, why);
    }

    static class OfInterval extends InTransaction {
        public void run(@RowLock("stay") String id) {}
    }

    /** The text of an interval depends on the setting intervalstyle of the session. */
    @ParameterizedTest
    @EnumSource
    void anIdWithoutAKeyIsRefusedUnlessNoneIsNeeded(LockStrategy strategy) {
        if (strategy == LockStrategy.ROW) {
            start(strategy, OfInterval.class);
            return;
        }
        assertBadDefinition(() -> start(strategy, OfInterval.class))
                .hasMessageContainingAll("OfInterval.run(", "stay", "column id of type interval", "strategy ROW");
    }

    @Transactional
    static class Right {
        public void bytes(@RowLock("blob") String id) {}

        public void number(@RowLock("account") int id) {}

        public void object(@RowLock("account") Object id) {}

        @RowLock(table = "account", id = "#p0.isEmpty() ? 1 : 2")
        public void unknown(String text) {}

        public void uuid(@RowLock("document") UUID id) {}

        /** A UUID and its text are one key. */
        public void uuidAsText(@RowLock("document") String id) {}

        public void day(@RowLock("day") LocalDate id) {}

        public void moment(@RowLock("moment") Instant id) {}

        public void paint(@RowLock("paint") Color id) {}

        public void word(@RowLock("word") String id) {}
    }

    @ParameterizedTest
    @EnumSource
    void theColumnsOwnTypeIsNotRefused(LockStrategy strategy) {
        var context = start(strategy, Right.class);
        assertThat(context.getBean(LockChains.class).usages()).hasSize(10);
    }
}
