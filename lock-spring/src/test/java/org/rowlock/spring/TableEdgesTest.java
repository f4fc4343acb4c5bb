package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Contexts.InTransaction;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.Transactional;

/** Checks that ids and configuration are compared with the catalog. */
@Tag("long")
class TableEdgesTest {
    @RegisterExtension
    final TestDatabase empty = new TestDatabase();

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int, balance int not null default 0, primary key (id) include (balance))",
            "create table order_line(order_id int, line int, primary key (order_id, line))");

    record AccountId(int value) {}

    /** An included column of the index is no part of the id. */
    static class Wrapped extends InTransaction {
        public void run(@RowLock("account") AccountId id) {}
    }

    static class OneOfTwo extends InTransaction {
        public void run(@RowLock("order_line") long order) {}
    }

    static class ManyOfTwo extends InTransaction {
        public void run(@RowLock("order_line") List<Long> orders) {}
    }

    static class ArrayOfTwo extends InTransaction {
        public void run(@RowLock("order_line") int[] orders) {}
    }

    static class VariableOfTwo extends InTransaction {
        @RowLock(table = "order_line", id = "#order")
        public void run(long order) {}
    }

    static class WrongColumn {
        @Bean
        RowLocks rowLocks() {
            return LockAccess.builder().idColumns("account", "idd").build();
        }

        @Bean
        Wrapped wrapped() {
            return new Wrapped();
        }
    }

    static class Hidden extends InTransaction {
        public void run(@RowLock("rowlock_hidden.t") int id) {}
    }

    /** One table with two names. */
    @Transactional
    static class TwoNames {
        public void plain(@RowLock("account") int id) {}

        public void qualified(@RowLock("${schema}.account") int id) {}
    }

    static class OneNameConfigured {
        @Bean
        RowLocks rowLocks() {
            return LockAccess.builder()
                    .strategy(LockStrategy.BOTH)
                    .strategy("account", LockStrategy.ADVISORY)
                    .build();
        }
    }

    /** The field product may be mapped to the column of the line, so these names show no order. */
    @Embeddable
    static class PartlyMapped {
        int product;
        int orderId;
    }

    static class PartlyMappedId extends InTransaction {
        public void run(@RowLock("order_line") PartlyMapped id) {}
    }

    /** Only the annotations show which field belongs to which column. */
    @Embeddable
    static class Renamed {
        @Column(name = "line")
        int first;

        @Column(name = "order_id")
        int second;
    }

    static class RenamedId extends InTransaction {
        public void run(@RowLock("order_line") Renamed id) {}
    }

    record RelationalId(
            @org.springframework.data.relational.core.mapping.Column("line")
            int first,

            @org.springframework.data.relational.core.mapping.Column("order_id")
            int second) {}

    static class RelationalIdRenamed extends InTransaction {
        public void run(@RowLock("order_line") RelationalId id) {}
    }

    static class IdClass {
        int orderId;
        int line;
    }

    /** The expression is a list of two ids, and not one id of two parts. */
    static class ListOfTwo extends InTransaction {
        @RowLock(table = "order_line", id = "{#order, #line}")
        public void run(int order, int line) {}
    }

    /** A search of the nested fields would never end, because each parent has a parent. */
    @jakarta.persistence.Entity
    static class Stored implements java.io.Serializable {
        private static final long serialVersionUID = 1;
        int id;
        Stored parent;

        @Override
        public boolean equals(Object other) {
            return other instanceof Stored stored && stored.id == id;
        }

        @Override
        public int hashCode() {
            return id;
        }
    }

    record Untyped(Object first, Comparable<?> second) {}

    @Transactional
    static class OfNoIds {
        public void optional(@RowLock("account") Object id) {}

        public void map(@RowLock("account") Map<Integer, String> quantities) {}

        public void plainClasses(@RowLock("order_line") List<?> ids) {}

        public void untyped(@RowLock("order_line") Untyped id) {}

        @RowLock(table = "account", id = "#p0")
        public void truth(boolean id) {}

        @RowLock(
                table = "order_line",
                id = {"#order", "#line"})
        public void fraction(int order, double line) {}

        public void entity(@RowLock("account") Stored account) {}
    }

    /** Parameters whose id types are known only at a call. */
    static class OfInterfaces extends InTransaction {
        public <T extends Comparable<T>> void run(
                @RowLock("account") T id, @RowLock("account") Number number, @RowLock("account") Object object) {}
    }

    /** With ADVISORY, no error would occur at run time, although the key would differ from the key of the whole id. */
    @ParameterizedTest
    @ValueSource(classes = {OneOfTwo.class, ManyOfTwo.class, ArrayOfTwo.class, VariableOfTwo.class, ListOfTwo.class})
    void oneValueForACompositeIdIsRefused(Class<?> component) {
        assertThatThrownBy(() -> Contexts.start(database, LockStrategy.ADVISORY, component))
                .hasStackTraceContaining("gives 1 part of an id")
                .hasStackTraceContaining("[order_id, line]");
    }

    /** Causes of an empty database are a wrong database, a wrong schema, or a missing migration. */
    @Test
    void anEmptyDatabaseIsSaidWithItsNameAndSearchPath() {
        assertThatThrownBy(() -> Contexts.start(empty, Wrapped.class))
                .hasStackTraceContaining("in the database ")
                .hasStackTraceContaining("search_path " + empty.schema())
                .hasStackTraceContaining("The tables are: none")
                .hasStackTraceContaining("Flyway");
    }

    @Test
    void configuredIdColumnsMustExist() {
        assertThatThrownBy(() -> Contexts.start(database, WrongColumn.class)).hasStackTraceContaining("idd");
    }

    /** The configuration is looked up by name, so one of the names would have the wrong strategy. */
    @Test
    void twoNamesOfOneTableAreConfiguredAlike() {
        System.setProperty("schema", database.schema());
        try {
            Contexts.start(database, TwoNames.class);
            assertThatThrownBy(() -> Contexts.start(database, OneNameConfigured.class, TwoNames.class))
                    .isInstanceOf(RowLockDefinitionException.class)
                    .hasMessageContainingAll(
                            database.schema() + ".account",
                            "the two names are configured differently",
                            "BOTH",
                            "ADVISORY");
        } finally {
            System.clearProperty("schema");
        }
    }

    /** With ROW, a call with the components in a wrong order would lock no row. */
    @ParameterizedTest
    @ValueSource(classes = {RenamedId.class, RelationalIdRenamed.class})
    void componentsInAnotherOrderThanTheirColumnsAreRefused(Class<?> component) {
        assertThatThrownBy(() -> Contexts.start(database, component))
                .isInstanceOf(RowLockDefinitionException.class)
                .hasMessageContaining("primary key of order_line is [order_id, line], in another order");
    }

    @ParameterizedTest
    @EnumSource
    void typesThatAreNoIdAreRefused(LockStrategy strategy) {
        OfNoIds service = Contexts.start(database, strategy, OfNoIds.class).getBean(OfNoIds.class);
        assertRefused("optional(Object)", Optional.class, () -> service.optional(Optional.of(1)));
        assertRefused("map(Map)", HashMap.class, () -> service.map(new HashMap<>()));
        assertRefused("optional(Object)", IdClass.class, () -> service.optional(new IdClass()));
        assertRefused("plainClasses(List)", IdClass.class, () -> service.plainClasses(List.of(new IdClass())));
        assertRefused("untyped(Untyped)", Boolean.class, () -> service.untyped(new Untyped(1, true)));
        assertRefused("truth(boolean)", Boolean.class, () -> service.truth(true));
        assertRefused("fraction(int, double)", Double.class, () -> service.fraction(1, 2));
        assertRefused("entity(Stored)", Stored.class, () -> service.entity(new Stored()));
    }

    private static void assertRefused(String method, Class<?> type, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(
                        "OfNoIds." + method, "of type " + type.getName(), "cannot be a lock key; give an integral");
    }

    @ParameterizedTest
    @ValueSource(classes = {Wrapped.class, PartlyMappedId.class, OfInterfaces.class})
    void whatMayBeTheIdIsLeftToTheCall(Class<?> component) {
        Contexts.start(database, component);
    }

    @Test
    void aSchemaThatTheRoleMayNotUseIsNamed() throws SQLException {
        DataSource guest = database.dataSourceWith("-c role=" + database.role());
        database.execute("create schema rowlock_hidden", "create table rowlock_hidden.t (id int primary key)");
        try {
            assertThatThrownBy(() -> Contexts.start(database, guest, Hidden.class))
                    .isInstanceOf(RowLockDefinitionException.class)
                    .hasMessageContainingAll(
                            "Hidden.run(int) names the table rowlock_hidden.t",
                            "permission denied for schema rowlock_hidden");
        } finally {
            database.execute("drop schema rowlock_hidden cascade");
        }
    }
}
