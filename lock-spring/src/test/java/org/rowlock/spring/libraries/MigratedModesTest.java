package org.rowlock.spring.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.QueryHint;
import jakarta.persistence.SharedCacheMode;
import jakarta.persistence.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.hibernate.Hibernate;
import org.jooq.SQLDialect;
import org.jooq.SelectFinalStep;
import org.jooq.SelectForUpdateStep;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.spring.Contexts;
import org.rowlock.spring.RowLockTests;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Wire;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.jpa.repository.QueryHints;
import org.springframework.data.jpa.repository.support.JpaRepositoryFactory;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.relational.core.sql.LockMode;
import org.springframework.data.repository.NoRepositoryBean;
import org.springframework.data.repository.Repository;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.EclipseLinkJpaVendorAdapter;
import org.springframework.transaction.annotation.Transactional;

/** Checks the table in docs/modes.md: which lock mode each library sends, for the library versions of this module. */
class MigratedModesTest {
    private static final LockModeType WRITE = LockModeType.PESSIMISTIC_WRITE;
    private static final LockModeType READ = LockModeType.PESSIMISTIC_READ;
    private static final String TIMEOUT = "jakarta.persistence.lock.timeout";
    private static final Pattern CLAUSE = Pattern.compile(
            " for (no key update|update|share|key share)(?: of [\\w\".]+(?:, ?[\\w\".]+)*)?( nowait| skip locked)?\\s*$");

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id bigint primary key, version int)",
            "create table entry (id bigint primary key, account_id bigint references account)",
            "create table vehicle (id bigint primary key)",
            "create table truck (id bigint primary key references vehicle, load int)",
            "insert into account values (1, 0)",
            "insert into entry values (1, 1)",
            "insert into vehicle values (1)",
            "insert into truck values (1, 7)");

    private final List<String> statements = new ArrayList<>();
    private final Map<String, String> seen = new LinkedHashMap<>();

    @Entity(name = "account")
    static class Account {
        @Id
        long id;

        @Version
        int version;
    }

    @Entity(name = "entry")
    static class Entry {
        @Id
        long id;

        @ManyToOne
        Account account;
    }

    @Entity(name = "vehicle")
    @Inheritance(strategy = InheritanceType.JOINED)
    static class Vehicle {
        @Id
        long id;
    }

    @Entity(name = "truck")
    static class Truck extends Vehicle {
        int load;
    }

    /** Compares the rows of the table with the statements that the libraries send. */
    @Test
    void theTableOfMigratingIsWhatIsSent() throws Exception {
        hibernate();
        eclipseLink();
        springDataJdbc();
        jooq();
        myBatis();
        assertThat(seen).containsExactlyEntriesOf(documented());
    }

    private void hibernate() {
        EntityManagerFactory factory = Contexts.jpa(
                        database,
                        recording(),
                        new JpaTransactions.Unit(Entry.class, Account.class, Vehicle.class, Truck.class),
                        beans -> {})
                .getBean(EntityManagerFactory.class);
        String plain = "Hibernate, Spring Data JPA: `PESSIMISTIC_WRITE` by `find`, `refresh`, a query, `@Lock`";
        jpa(factory, plain, jpa -> jpa.find(Account.class, 1L, WRITE));
        jpa(factory, plain, jpa -> jpa.refresh(jpa.find(Account.class, 1L), WRITE));
        jpa(factory, plain, jpa -> query(jpa, "select a from account a where a.id = 1"));
        jpa(
                factory,
                plain,
                jpa -> jpa.createQuery("from account a order by a.id", Account.class)
                        .setLockMode(WRITE)
                        .setMaxResults(1)
                        .getResultList());
        jpa(factory, plain, jpa -> repository(jpa).findById(1));
        jpa(factory, plain, jpa -> repository(jpa).written(1));
        jpa(factory, plain, jpa -> repository(jpa).findFirstByVersion(0));
        jpa(factory, "Hibernate: `PESSIMISTIC_WRITE` by `lock`", jpa -> jpa.lock(jpa.find(Account.class, 1L), WRITE));
        String followOn = "Hibernate: `PESSIMISTIC_WRITE` of an entity with an eager association,"
                + " or by a query with `distinct` or `left join fetch`";
        jpa(factory, followOn, jpa -> jpa.find(Entry.class, 1L, WRITE));
        jpa(factory, followOn, jpa -> jpa.lock(jpa.find(Entry.class, 1L), WRITE));
        jpa(factory, followOn, jpa -> query(jpa, "select distinct a from account a"));
        jpa(factory, followOn, jpa -> query(jpa, "from entry e left join fetch e.account"));
        String leaf = "Hibernate: `PESSIMISTIC_WRITE` of a subclass with joined inheritance, by `find` or a query";
        jpa(factory, leaf, jpa -> jpa.find(Truck.class, 1L, WRITE));
        jpa(factory, leaf, jpa -> query(jpa, "from truck where id = 1"));
        String superclass = "Hibernate: `PESSIMISTIC_WRITE` of that subclass by `lock`, or of its superclass";
        jpa(factory, superclass, jpa -> jpa.lock(jpa.find(Truck.class, 1L), WRITE));
        jpa(factory, superclass, jpa -> jpa.find(Vehicle.class, 1L, WRITE));
        String read = "Hibernate: `PESSIMISTIC_READ` by `find` or `lock`";
        jpa(factory, read, jpa -> jpa.find(Account.class, 1L, READ));
        jpa(factory, read, jpa -> jpa.lock(jpa.find(Account.class, 1L), READ));
        jpa(
                factory,
                "Hibernate: `PESSIMISTIC_FORCE_INCREMENT` by `find`",
                jpa -> jpa.find(Account.class, 1L, LockModeType.PESSIMISTIC_FORCE_INCREMENT));
        String atOnce = "Hibernate: `PESSIMISTIC_WRITE` with `jakarta.persistence.lock.timeout` = 0";
        jpa(factory, atOnce, jpa -> jpa.find(Account.class, 1L, WRITE, Map.of(TIMEOUT, 0)));
        jpa(factory, atOnce, jpa -> repository(jpa).findAtOnceById(1));
        String skipping = "Hibernate: `PESSIMISTIC_WRITE` with `jakarta.persistence.lock.timeout` = -2";
        jpa(factory, skipping, jpa -> jpa.find(Account.class, 1L, WRITE, Map.of(TIMEOUT, -2)));
    }

    private static void query(EntityManager jpa, String query) {
        jpa.createQuery(query).setLockMode(WRITE).getResultList();
    }

    private void jpa(EntityManagerFactory factory, String way, Consumer<EntityManager> work) {
        EntityManager jpa = factory.createEntityManager();
        try {
            jpa.getTransaction().begin();
            see(way, () -> work.accept(jpa));
            jpa.getTransaction().rollback();
        } finally {
            jpa.close();
        }
    }

    /** The annotation hides this interface from the scan for repositories. */
    @NoRepositoryBean
    interface JpaAccounts extends Repository<Account, Long> {
        @Lock(LockModeType.PESSIMISTIC_WRITE)
        Account findById(long id);

        @Lock(LockModeType.PESSIMISTIC_WRITE)
        @Query("select a from account a where a.id = ?1")
        Account written(long id);

        @Lock(LockModeType.PESSIMISTIC_WRITE)
        @QueryHints(@QueryHint(name = TIMEOUT, value = "0"))
        Account findAtOnceById(long id);

        @Lock(LockModeType.PESSIMISTIC_WRITE)
        Account findFirstByVersion(int version);
    }

    private static JpaAccounts repository(EntityManager jpa) {
        return new JpaRepositoryFactory(jpa).getRepository(JpaAccounts.class);
    }

    private void eclipseLink() {
        LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
        bean.setDataSource(recording());
        bean.setJpaVendorAdapter(new EclipseLinkJpaVendorAdapter());
        bean.setJpaPropertyMap(Map.of("eclipselink.weaving", "false"));
        bean.setSharedCacheMode(SharedCacheMode.NONE);
        bean.setManagedTypes(PersistenceManagedTypes.of(Account.class.getName()));
        bean.afterPropertiesSet();
        try {
            EntityManagerFactory factory = bean.getObject();
            for (LockModeType mode : List.of(WRITE, READ)) {
                String any = "EclipseLink: `" + mode + "`";
                jpa(factory, any, jpa -> jpa.find(Account.class, 1L, mode));
                jpa(factory, any, jpa -> jpa.lock(jpa.find(Account.class, 1L), mode));
                jpa(factory, any, jpa -> jpa.refresh(jpa.find(Account.class, 1L), mode));
                jpa(
                        factory,
                        any,
                        jpa -> jpa.createQuery("select a from account a where a.id = 1")
                                .setLockMode(mode)
                                .getResultList());
            }
        } finally {
            bean.destroy();
        }
    }

    @Table("account")
    record JdbcAccount(
            @org.springframework.data.annotation.Id long id, int version) {}

    @Transactional
    interface JdbcAccounts extends Repository<JdbcAccount, Long> {
        @org.springframework.data.relational.repository.Lock(LockMode.PESSIMISTIC_WRITE)
        JdbcAccount findById(long id);

        @org.springframework.data.relational.repository.Lock(LockMode.PESSIMISTIC_READ)
        JdbcAccount findSharedById(long id);
    }

    @Import(JdbcTransactions.class)
    @EnableJdbcRepositories(
            considerNestedRepositories = true,
            includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = JdbcAccounts.class))
    static class SpringDataJdbc extends AbstractJdbcConfiguration {
        @Bean
        NamedParameterJdbcTemplate jdbc(DataSource dataSource) {
            return new NamedParameterJdbcTemplate(dataSource);
        }
    }

    private void springDataJdbc() {
        JdbcAccounts accounts = RowLockTests.start(
                        database,
                        beans -> beans.registerBean("dataSource", DataSource.class, this::recording),
                        SpringDataJdbc.class)
                .getBean(JdbcAccounts.class);
        see("Spring Data JDBC: `@Lock(PESSIMISTIC_WRITE)`", () -> accounts.findById(1));
        see("Spring Data JDBC: `@Lock(PESSIMISTIC_READ)`", () -> accounts.findSharedById(1));
    }

    private void jooq() throws Exception {
        try (Connection connection = recording().getConnection()) {
            var dsl = DSL.using(connection, SQLDialect.POSTGRES);
            Map<String, java.util.function.Function<SelectForUpdateStep<?>, SelectFinalStep<?>>> ways =
                    new LinkedHashMap<>();
            ways.put("jOOQ: `forUpdate()`", SelectForUpdateStep::forUpdate);
            ways.put("jOOQ: `forNoKeyUpdate()`", SelectForUpdateStep::forNoKeyUpdate);
            ways.put("jOOQ: `forShare()`", SelectForUpdateStep::forShare);
            ways.put("jOOQ: `forKeyShare()`", SelectForUpdateStep::forKeyShare);
            ways.forEach((way, lock) ->
                    see(way, () -> lock.apply(dsl.select().from("account")).fetch()));
        }
    }

    interface Mapper {
        @Select("select id from account where id = #{id} for update")
        long lock(long id);
    }

    private void myBatis() {
        var configuration = new org.apache.ibatis.session.Configuration(
                new Environment("test", new JdbcTransactionFactory(), recording()));
        configuration.addMapper(Mapper.class);
        try (SqlSession session =
                new SqlSessionFactoryBuilder().build(configuration).openSession()) {
            see(
                    "SQL of your own: JDBC, MyBatis, native queries",
                    () -> session.getMapper(Mapper.class).lock(1));
        }
    }

    private void see(String way, Runnable work) {
        statements.clear();
        work.run();
        String clauses = statements.stream()
                .map(sql -> CLAUSE.matcher(sql.toLowerCase(Locale.ROOT)))
                .filter(Matcher::find)
                .map(clause -> "`for " + clause.group(1) + Objects.toString(clause.group(2), "") + '`')
                .distinct()
                .collect(Collectors.joining(" and "));
        // All ways to lock in one row of the table must send the same clause.
        seen.merge(way, clauses, (one, other) -> one.equals(other) ? one : one + " or " + other);
    }

    /** Returns a DataSource that records the text of each statement. */
    private DataSource recording() {
        return TestDataSource.of(() -> Wire.listen(database.dataSource().getConnection(), statements));
    }

    /** Returns the rows of the table, with the column for the library versions of this module. */
    private static Map<String, String> documented() throws Exception {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/modes.md"))) {
            folder = folder.getParent();
        }
        List<String> lines = Files.readAllLines(folder.resolve("docs/modes.md"));
        int header = lines.indexOf(lines.stream()
                .filter(line -> line.startsWith("| way of locking |"))
                .findFirst()
                .orElseThrow());
        Map<String, String> rows = new LinkedHashMap<>();
        int column = Hibernate.class.getPackage().getImplementationVersion().startsWith("6.") ? 2 : 3;
        for (String line : lines.subList(header + 2, lines.size())) {
            if (!line.startsWith("|")) {
                break;
            }
            String[] cells = line.split("\\s*\\|\\s*");
            rows.put(cells[1], cells[column]);
        }
        return rows;
    }
}
