package org.rowlock.spring.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.spring.RowLockTests;
import org.rowlock.testing.TestDatabase;
import org.springframework.data.jdbc.core.dialect.JdbcPostgresDialect;
import org.springframework.data.relational.core.dialect.RenderContextFactory;
import org.springframework.data.relational.core.sql.LockMode;
import org.springframework.data.relational.core.sql.Select;
import org.springframework.data.relational.core.sql.Table;
import org.springframework.data.relational.core.sql.render.SqlRenderer;

/** The row locks that libraries ask for, which docs/migrating.md maps to modes. */
class MigratedModesTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table versioned (id bigint primary key, version int not null)",
            "insert into versioned values (1, 0)");

    @Entity(name = "versioned")
    static class Versioned {
        @Id
        long id;

        @Version
        int version;
    }

    private static String lockingClause(List<String> statements) {
        return statements.stream()
                .map(sql -> sql.toLowerCase(Locale.ROOT))
                .map(sql -> sql.replaceFirst("^.*?( for (?:no key )?(?:update|share))", "$1"))
                .filter(sql -> sql.startsWith(" for "))
                .map(sql -> sql.replaceFirst(" of \\w+", "").strip())
                .findFirst()
                .orElse("none");
    }

    @Test
    void hibernatesModes() {
        List<String> statements = new ArrayList<>();
        StatementInspector inspector = sql -> {
            statements.add(sql);
            return sql;
        };
        Map<String, String> clauses = new LinkedHashMap<>();
        try (var context = RowLockTests.start(
                beans -> {
                    beans.registerBean("dataSource", DataSource.class, database::dataSource);
                    beans.registerBean(
                            JpaTransactions.Unit.class,
                            () -> new JpaTransactions.Unit(
                                    Map.of("hibernate.session_factory.statement_inspector", inspector),
                                    Versioned.class));
                },
                JpaTransactions.class)) {
            EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
            for (LockModeType mode : List.of(
                    LockModeType.PESSIMISTIC_WRITE,
                    LockModeType.PESSIMISTIC_READ,
                    LockModeType.PESSIMISTIC_FORCE_INCREMENT)) {
                clauses.put(mode.name(), clause(factory, statements, mode, Map.of()));
            }
            for (int timeout : new int[] {0, -2}) {
                clauses.put(
                        "timeout " + timeout,
                        clause(
                                factory,
                                statements,
                                LockModeType.PESSIMISTIC_WRITE,
                                Map.of("jakarta.persistence.lock.timeout", timeout)));
            }
        }
        // Hibernate 7 has given up the NOWAIT.
        clauses.replace("PESSIMISTIC_FORCE_INCREMENT", "for no key update nowait", "for no key update");
        assertThat(clauses)
                .containsExactly(
                        entry("PESSIMISTIC_WRITE", "for no key update"),
                        entry("PESSIMISTIC_READ", "for share"),
                        entry("PESSIMISTIC_FORCE_INCREMENT", "for no key update"),
                        entry("timeout 0", "for no key update nowait"),
                        entry("timeout -2", "for no key update skip locked"));
    }

    private static String clause(
            EntityManagerFactory factory, List<String> statements, LockModeType mode, Map<String, Object> properties) {
        statements.clear();
        EntityManager entities = factory.createEntityManager();
        try {
            entities.getTransaction().begin();
            entities.find(Versioned.class, 1L, mode, properties);
            entities.getTransaction().rollback();
        } finally {
            entities.close();
        }
        return lockingClause(statements);
    }

    @Test
    void springDataJdbcsModes() {
        assertThat(clause(LockMode.PESSIMISTIC_WRITE)).isEqualTo("for update");
        assertThat(clause(LockMode.PESSIMISTIC_READ)).isEqualTo("for share");
    }

    private static String clause(LockMode mode) {
        Table account = Table.create("account");
        var context = new RenderContextFactory(JdbcPostgresDialect.INSTANCE).createRenderContext();
        return lockingClause(List.of(SqlRenderer.create(context)
                .render(Select.builder()
                        .select(account.column("id"))
                        .from(account)
                        .lock(mode)
                        .build())));
    }

    @Test
    void jooqsModes() {
        DSLContext dsl = DSL.using(SQLDialect.POSTGRES);
        assertThat(List.of(
                        lockingClause(
                                List.of(dsl.select().from("account").forUpdate().getSQL())),
                        lockingClause(List.of(
                                dsl.select().from("account").forNoKeyUpdate().getSQL())),
                        lockingClause(
                                List.of(dsl.select().from("account").forShare().getSQL()))))
                .containsExactly("for update", "for no key update", "for share");
    }
}
