package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Ids and configuration against the catalog. */
class TableEdgesTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int, balance int not null default 0, primary key (id) include (balance))",
            "create table order_line(order_id int, line int, primary key (order_id, line))");

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableRowLocks
    static class Base {}

    record AccountId(int value) {}

    static class Wrapped {
        @Transactional
        public void run(@RowLock("account") AccountId id) {}
    }

    static class OneOfTwo {
        @Transactional
        public void run(@RowLock("order_line") long order) {}
    }

    static class ManyOfTwo {
        @Transactional
        public void run(@RowLock("order_line") List<Long> orders) {}
    }

    static class ArrayOfTwo {
        @Transactional
        public void run(@RowLock("order_line") int[] orders) {}
    }

    static class VariableOfTwo {
        @Transactional
        @RowLock(table = "order_line", id = "#order")
        public void run(long order) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WrongColumn {
        @Bean
        RowLocks rowLocks() {
            return RowLocks.builder().idColumns("account", "idd").build();
        }

        @Bean
        Wrapped wrapped() {
            return new Wrapped();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Advisory {
        @Bean
        RowLocks rowLocks() {
            return RowLocks.builder().strategy(LockStrategy.ADVISORY).build();
        }
    }

    static class Hidden {
        @Transactional
        public void run(@RowLock("hidden.t") int id) {}
    }

    @Test
    void includedColumnsAreNoPartOfTheId() {
        assertThatCode(() -> Contexts.start(database, Base.class, Wrapped.class).close())
                .doesNotThrowAnyException();
    }

    /** With ADVISORY nothing at run time would tell: the lock would be another one than that of the whole id. */
    @ParameterizedTest
    @ValueSource(classes = {OneOfTwo.class, ManyOfTwo.class, ArrayOfTwo.class, VariableOfTwo.class})
    void oneValueForACompositeIdIsRefused(Class<?> component) {
        assertThatThrownBy(() -> Contexts.start(database, Base.class, Advisory.class, component)
                        .close())
                .hasStackTraceContaining("gives 1 part of an id")
                .hasStackTraceContaining("[order_id, line]");
    }

    @Test
    void configuredIdColumnsMustExist() {
        assertThatThrownBy(() ->
                        Contexts.start(database, Base.class, WrongColumn.class).close())
                .hasStackTraceContaining("idd");
    }
}
