package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.spring.internal.proxy.LockChains;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.annotation.Transactional;

/** An id of a type that can spell one row in two ways is two advisory locks, and so refused where these are taken. */
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

    static class OfString {
        @Transactional
        public void run(@RowLock("account") String id) {}
    }

    static class OfStrings {
        @Transactional
        public void run(@RowLock("account") List<String> ids) {}
    }

    static class OfEnum {
        @Transactional
        public void run(@RowLock("account") Color id) {}
    }

    static class OfPath {
        @Transactional
        @RowLock(table = "account", id = "#command.account")
        public void run(Command command) {}
    }

    static class OfPathToSeveral {
        @Transactional
        @RowLock(table = "account", id = "#command.accounts()")
        public void run(Command command) {}
    }

    static class OfKeys {
        @Transactional
        @RowLock(table = "account", id = "#amounts.keySet()")
        public void run(Map<String, Long> amounts) {}
    }

    static class OfPart {
        @Transactional
        @RowLock(
                table = "order_line",
                id = {"#order", "#line"})
        public void run(long order, String line) {}
    }

    static class OfComponent {
        @Transactional
        public void run(@RowLock("order_line") Line line) {}
    }

    static class OfDateText {
        @Transactional
        public void run(@RowLock("day") String id) {}
    }

    static class OfLocalTime {
        @Transactional
        public void run(@RowLock("moment") LocalDateTime id) {}
    }

    static class OfNumberForUuid {
        @Transactional
        public void run(@RowLock("document") long id) {}
    }

    static Stream<Class<?>> wrong() {
        return Stream.of(
                OfString.class,
                OfStrings.class,
                OfEnum.class,
                OfPath.class,
                OfPathToSeveral.class,
                OfKeys.class,
                OfPart.class,
                OfComponent.class,
                OfDateText.class,
                OfLocalTime.class,
                OfNumberForUuid.class);
    }

    private AnnotationConfigApplicationContext start(LockStrategy strategy, Class<?> component) {
        return RowLockTests.start(
                beans -> {
                    beans.registerBean(com.zaxxer.hikari.HikariDataSource.class, () -> Contexts.pool(database));
                    beans.registerBean(
                            RowLocks.class,
                            () -> RowLocks.builder().strategy(strategy).build());
                },
                Contexts.Jdbc.class,
                Contexts.Base.class,
                component);
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void aTypeThatIsNotTheColumnsOwnIsRefused(Class<?> component) {
        for (LockStrategy strategy : List.of(LockStrategy.BOTH, LockStrategy.ADVISORY)) {
            assertThatThrownBy(() -> start(strategy, component).close())
                    .isInstanceOf(RowLockDefinitionException.class)
                    .hasMessageContainingAll(
                            component.getSimpleName() + ".run(", "cannot be the own type", "Give the id");
        }
        start(LockStrategy.ROW, component).close();
    }

    static class OfInterval {
        @Transactional
        public void run(@RowLock("stay") String id) {}
    }

    /** Its text depends on the intervalstyle of the session. */
    @ParameterizedTest
    @EnumSource
    void anIdWithoutAKeyIsRefusedUnlessNoneIsNeeded(LockStrategy strategy) {
        if (strategy == LockStrategy.ROW) {
            start(strategy, OfInterval.class).close();
            return;
        }
        assertThatThrownBy(() -> start(strategy, OfInterval.class).close())
                .isInstanceOf(RowLockDefinitionException.class)
                .hasMessageContainingAll("OfInterval.run(", "stay", "column id of type interval", "strategy ROW");
    }

    static class Right {
        @Transactional
        public void bytes(@RowLock("blob") String id) {}

        @Transactional
        public void number(@RowLock("account") int id) {}

        @Transactional
        public void object(@RowLock("account") Object id) {}

        @Transactional
        @RowLock(table = "account", id = "#p0.isEmpty() ? 1 : 2")
        public void unknown(String text) {}

        @Transactional
        public void uuid(@RowLock("document") UUID id) {}

        /** A UUID and its text are one key. */
        @Transactional
        public void uuidAsText(@RowLock("document") String id) {}

        @Transactional
        public void day(@RowLock("day") LocalDate id) {}

        @Transactional
        public void moment(@RowLock("moment") Instant id) {}

        @Transactional
        public void paint(@RowLock("paint") Color id) {}

        @Transactional
        public void word(@RowLock("word") String id) {}
    }

    @ParameterizedTest
    @EnumSource
    void theColumnsOwnTypeIsNotRefused(LockStrategy strategy) {
        try (var context = start(strategy, Right.class)) {
            assertThat(context.getBean(LockChains.class).usages()).hasSize(10);
        }
    }
}
