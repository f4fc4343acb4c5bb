package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;

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

    static class IdClass {
        int orderId;
        int line;
    }

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
            assertBadDefinition(() -> Contexts.start(database, OneNameConfigured.class, TwoNames.class))
                    .hasMessageContainingAll(
                            database.schema() + ".account",
                            "the two names are configured differently",
                            "BOTH",
                            "ADVISORY");
        } finally {
            System.clearProperty("schema");
        }
    }

    @ParameterizedTest
    @EnumSource
    void typesThatAreNoIdAreRefused(LockStrategy strategy) {
        OfNoIds service = Contexts.start(database, strategy, OfNoIds.class).getBean(OfNoIds.class);
        assertRefused("optional(Object)", Optional.class, () -> service.optional(Optional.of(1)));
        assertRefused("map(Map)", HashMap.class, () -> service.map(new HashMap<>()));
        assertRefused("optional(Object)", IdClass.class, () -> service.optional(new IdClass()));
        assertRefused("plainClasses(List)", IdClass.class, () -> service.plainClasses(List.of(new IdClass())));
        assertRefused("untyped(Untyped)", Untyped.class, () -> service.untyped(new Untyped(1, true)));
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
    @ValueSource(classes = {Wrapped.class, OfInterfaces.class})
    void whatMayBeTheIdIsLeftToTheCall(Class<?> component) {
        Contexts.start(database, component);
    }

    @Test
    void aSchemaThatTheRoleMayNotUseIsNamed() throws SQLException {
        DataSource guest = database.dataSourceWith("-c role=" + database.role());
        database.execute("create schema rowlock_hidden", "create table rowlock_hidden.t (id int primary key)");
        try {
            assertBadDefinition(() -> Contexts.start(database, guest, Hidden.class))
                    .hasMessageContainingAll(
                            "Hidden.run(int) names the table rowlock_hidden.t",
                            "permission denied for schema rowlock_hidden");
        } finally {
            database.execute("drop schema rowlock_hidden cascade");
        }
    }

    /** FOR UPDATE needs SELECT on the id, and UPDATE on any column. */
    @Test
    void aRoleThatMayNotLockIsRefusedAtStartup() throws SQLException {
        database.execute("insert into account values (1)");
        String full = database.role("select (id), update (balance) on account");
        Contexts.start(database, database.dataSourceOf(full), Wrapped.class)
                .getBean(Wrapped.class)
                .run(new AccountId(1));
        String reader = database.role("select on account");
        assertRefusedAtStartup(reader, LockStrategy.ROW);
        assertRefusedAtStartup(database.role("update on account"), LockStrategy.BOTH);
        Contexts.start(
                database,
                database.dataSourceOf(reader),
                context -> Contexts.locks(context, LockStrategy.ADVISORY),
                Wrapped.class);
    }

    private void assertRefusedAtStartup(String role, LockStrategy strategy) {
        assertBadDefinition(() -> Contexts.start(
                        database,
                        database.dataSourceOf(role),
                        context -> Contexts.locks(context, strategy),
                        Wrapped.class))
                .hasMessageContainingAll("Wrapped.run(AccountId) locks rows of account", "SELECT or UPDATE", "Grant");
    }
}
