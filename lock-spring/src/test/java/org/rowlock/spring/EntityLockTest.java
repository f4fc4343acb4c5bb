package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;
import static org.rowlock.spring.RowLockTests.assertNotAcquired;

import jakarta.persistence.CascadeType;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.OneToMany;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.PostLoad;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Version;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.hibernate.annotations.Fetch;
import org.hibernate.annotations.FetchMode;
import org.hibernate.annotations.Filter;
import org.hibernate.annotations.FilterDef;
import org.hibernate.annotations.Formula;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.ParamDef;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Checks that JPA's find is used only if it locks the rows that Rowlock's own statement would lock. */
class EntityLockTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table plain (id bigint primary key, amount bigint not null default 0)",
            "do $$ declare t text; begin foreach t in array array['parent', 'owning', 'tagged', 'split', 'joined',"
                    + " 'restricted', 'computed', 'filtered', 'versioned', 'lazy_child', 'eager_child', 'selecting',"
                    + " 'owned', 'single', 'soft'] loop"
                    + " execute format('create table %I (like plain including all)', t); end loop; end $$",
            "alter table versioned add version int not null default 0",
            "create table worded (id text primary key, amount bigint not null default 0)",
            "create table spelled (id text primary key, amount bigint not null default 0)",
            "create table random (id uuid primary key, amount bigint not null default 0)",
            "alter table lazy_child add parent bigint",
            "alter table eager_child add parent bigint",
            "alter table selecting add parent bigint",
            "alter table owned add owner bigint",
            "create table tagged_tags (tagged_id bigint, tags text)",
            "create table split_rest (id bigint primary key, rest bigint not null default 0)",
            "create table joined_sub (id bigint primary key, more bigint not null default 0)",
            "alter table single add dtype text not null default 'SingleSub', add more bigint",
            "alter table soft add deleted boolean not null default false",
            "create table normalized (id bigint primary key, amount bigint not null default 0, text text)",
            "create table referring (id bigint primary key, amount bigint not null default 0, normalized bigint)",
            "create table keyed_otherwise (id bigint not null unique, number bigint primary key, amount bigint not null"
                    + " default 0)");

    // Code that reads a public field of a proxy bypasses the proxy. The tests read these fields only on managed
    // entities.
    @MappedSuperclass
    abstract static class Row {
        @Id
        Long id;

        long amount;
    }

    @Entity(name = "parent")
    static class Parent extends Row {}

    @Entity(name = "plain")
    static class Plain extends Row {}

    @Entity(name = "versioned")
    static class Versioned extends Row {
        @Version
        int version;
    }

    @Entity(name = "worded")
    static class Worded {
        @Id
        String id;

        long amount;
    }

    @Entity(name = "random")
    static class Random {
        @Id
        UUID id;

        long amount;
    }

    @Entity(name = "lazy_child")
    static class LazyChild extends Row {
        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(name = "parent")
        Parent parent;
    }

    @Entity(name = "eager_child")
    static class EagerChild extends Row {
        @ManyToOne
        @JoinColumn(name = "parent")
        Parent parent;
    }

    @Entity(name = "selecting")
    static class Selecting extends Row {
        @ManyToOne
        @Fetch(FetchMode.SELECT)
        @JoinColumn(name = "parent")
        Parent parent;
    }

    @Entity(name = "owning")
    static class Owning extends Row {
        @OneToMany(cascade = CascadeType.ALL)
        @JoinColumn(name = "owner")
        List<Owned> owned;
    }

    @Entity(name = "owned")
    static class Owned extends Row {}

    @Entity(name = "tagged")
    static class Tagged extends Row {
        @ElementCollection(fetch = FetchType.EAGER)
        @CollectionTable(name = "tagged_tags", joinColumns = @JoinColumn(name = "tagged_id"))
        @Column(name = "tags")
        Set<String> tags;
    }

    @Entity(name = "split")
    @SecondaryTable(name = "split_rest")
    static class Split extends Row {
        @Column(table = "split_rest")
        Long rest;
    }

    @Entity(name = "joined")
    @Inheritance(strategy = InheritanceType.JOINED)
    static class Joined extends Row {}

    @Entity(name = "joined_sub")
    static class JoinedSub extends Joined {
        long more;
    }

    @Entity(name = "single")
    static class Single extends Row {}

    @Entity(name = "SingleSub")
    static class SingleSub extends Single {
        Long more;
    }

    @Entity(name = "restricted")
    @SQLRestriction("amount >= 0")
    static class Restricted extends Row {}

    @Entity(name = "soft")
    @SoftDelete
    static class Soft extends Row {}

    @Entity(name = "computed")
    static class Computed extends Row {
        @Formula("(select count(*) from parent)")
        long parents;
    }

    @Entity(name = "filtered")
    @FilterDef(
            name = "least",
            parameters = @ParamDef(name = "least", type = Long.class),
            defaultCondition = "amount >= :least",
            applyToLoadByKey = true)
    @Filter(name = "least")
    static class Filtered extends Row {}

    @Entity(name = "keyed_otherwise")
    static class KeyedOtherwise extends Row {
        long number;
    }

    @Entity(name = "spelled")
    static class Spelled {
        @Id
        @JdbcTypeCode(SqlTypes.VARCHAR)
        UUID id;

        long amount;
    }

    /** Hibernate writes such an entity at the next flush after it was read. */
    @Entity(name = "normalized")
    static class Normalized extends Row {
        String text;

        @PostLoad
        void normalize() {
            text = text.strip();
        }
    }

    @Entity(name = "referring")
    static class Referring extends Row {
        @ManyToOne
        @Fetch(FetchMode.SELECT)
        @JoinColumn(name = "normalized")
        Normalized normalized;
    }

    /** @param isLockedByJpa whether Hibernate's own find locks the row, in one statement */
    enum Mapping {
        PLAIN(Plain.class, true),
        VERSIONED(Versioned.class, true),
        WORDED(Worded.class, true),
        RANDOM(Random.class, true),
        LAZY_CHILD(LazyChild.class, true),
        EAGER_CHILD(EagerChild.class, false),
        SELECTING(Selecting.class, true),
        OWNING(Owning.class, true),
        TAGGED(Tagged.class, false),
        SPLIT(Split.class, false),
        JOINED(Joined.class, false),
        SINGLE(Single.class, true),
        RESTRICTED(Restricted.class, false),
        SOFT(Soft.class, false),
        COMPUTED(Computed.class, false),
        FILTERED(Filtered.class, true),
        KEYED_OTHERWISE(KeyedOtherwise.class, false);

        final Class<?> entity;
        final boolean isLockedByJpa;

        Mapping(Class<?> entity, boolean isLockedByJpa) {
            this.entity = entity;
            this.isLockedByJpa = isLockedByJpa;
        }

        String table() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        List<LockKey> keys(Integer... numbers) {
            return Stream.of(numbers)
                    .map(number -> (LockKey) LockKey.row(table(), id(number)))
                    .toList();
        }

        Object id(int number) {
            return switch (this) {
                case WORDED -> "w" + number;
                case RANDOM -> new UUID(0, number);
                default -> (long) number;
            };
        }
    }

    /** The data of the row that the session has before the lock. */
    enum State {
        UNKNOWN,
        REFERENCE,
        LOADED
    }

    /** The statements that Hibernate has sent. */
    private final List<String> statements = new ArrayList<>();

    /** All tables in which Hibernate could lock rows. Another transaction determines which rows are free. */
    private static final List<String> TABLES = Stream.concat(
                    Stream.of(Mapping.values()).map(Mapping::table),
                    Stream.of("parent", "owned", "tagged_tags", "split_rest", "joined_sub"))
            .toList();

    private Connection others;
    private TestContext byJpa;
    /** The context without JPA's locks, started only by tests that compare both contexts. */
    private TestContext byRowlock;

    static class Plains {
        @PersistenceContext
        EntityManager entities;

        @Transactional
        public void add(@RowLock("plain") long id) {
            entities.find(Plain.class, id).amount++;
        }
    }

    @BeforeEach
    void start() throws SQLException {
        for (Mapping each : Mapping.values()) {
            String second = each == Mapping.KEYED_OTHERWISE ? ", number" : "";
            database.execute(IntStream.rangeClosed(1, 3)
                    .mapToObj(number -> "insert into " + each.table() + " (id" + second + ") values ('"
                            + each.id(number) + "'" + (second.isEmpty() ? "" : ", " + (number + 1)) + ")")
                    .toArray(String[]::new));
        }
        database.execute(
                "insert into parent select generate_series(1, 3)",
                "insert into owned select n, 0, n from generate_series(1, 3) as n",
                "insert into tagged_tags select n, tag from generate_series(1, 3) as n, (values ('a'), ('b')) as t(tag)",
                "insert into split_rest select generate_series(1, 3)",
                "insert into joined_sub select generate_series(1, 3)",
                "update lazy_child set parent = id",
                "update eager_child set parent = id",
                "update selecting set parent = id",
                "update restricted set amount = -1 where id = 2",
                "update soft set deleted = true where id = 2");
        byJpa = start(true);
        others = database.closing(database.dataSource().getConnection());
    }

    private TestContext start(boolean lockEntities) {
        StatementInspector inspector = sql -> {
            statements.add(sql);
            return sql;
        };
        Map<String, Object> properties = Map.of("hibernate.session_factory.statement_inspector", inspector);
        Class<?>[] beside = {
            Row.class,
            Parent.class,
            Owned.class,
            JoinedSub.class,
            SingleSub.class,
            Normalized.class,
            Referring.class,
            Spelled.class
        };
        Class<?>[] entities = Stream.concat(
                        Stream.of(beside), Stream.of(Mapping.values()).map(each -> each.entity))
                .toArray(Class<?>[]::new);
        return Contexts.jpa(
                database,
                database.dataSource(),
                new Unit(properties, entities),
                beans -> {
                    Contexts.locks(beans, LockStrategy.ROW);
                    Contexts.settings(beans, new TestSettings().verify(false).lockEntities(lockEntities));
                },
                Plains.class);
    }

    /** Hibernate's find would lock the row whose id is spelled in lower case. */
    @Test
    void anIdThatHibernateStoresInAnotherSpellingIsLockedByRowlock() throws Exception {
        String lower = "00000000-0000-0000-0000-00000000000a";
        database.execute("insert into spelled values ('" + lower + "'), (upper('" + lower + "'))");
        byJpa.inTransaction(status -> {
            LockKey upper = LockKey.row("spelled", lower.toUpperCase(Locale.ROOT));
            RowLockTests.assertHeld(byJpa.template().lock(forNoKeyUpdate(upper)));
            assertThat(RowLockTests.query(database, "select id from spelled for update skip locked"))
                    .isEqualTo(lower);
        });
    }

    /** Hibernate 6 would use the mode of the first entity in every later refresh, and increment those versions too. */
    @Test
    void theLockOfAnEntityWithAnOptimisticModeChangesNoOtherVersion() {
        lockLoaded(1L, LockModeType.OPTIMISTIC_FORCE_INCREMENT);
        lockLoaded(2L, LockModeType.PESSIMISTIC_WRITE);
        assertThat(RowLockTests.query(database, "select string_agg(version::text, '' order by id) from versioned"))
                .isEqualTo("100");
    }

    private void lockLoaded(long id, LockModeType mode) {
        byJpa.inTransaction(status -> {
            assertThat(byJpa.entities().find(Versioned.class, id, mode)).isNotNull();
            RowLockTests.assertHeld(byJpa.template().lock(forNoKeyUpdate(LockKey.row("versioned", id))));
        });
    }

    private TestContext byRowlock() {
        if (byRowlock == null) {
            byRowlock = start(false);
        }
        return byRowlock;
    }

    private static void undone(TestContext context, Runnable work) {
        context.inTransaction(status -> {
            work.run();
            status.setRollbackOnly();
        });
    }

    /** Returns the rows of each table that another transaction can lock, by lock mode. */
    private Map<String, String> free() {
        Map<String, String> free = new TreeMap<>();
        try (Statement statement = others.createStatement()) {
            for (RowLockMode mode : RowLockMode.values()) {
                String look = TABLES.stream()
                        .map(table -> "(select '" + table + "', string_agg(ctid::text, '') from (select ctid from "
                                + table + " for " + mode.name().substring(4).replace('_', ' ') + " skip locked) free)")
                        .collect(Collectors.joining(" union all "));
                try (ResultSet rows = statement.executeQuery(look)) {
                    while (rows.next()) {
                        free.put(rows.getString(1) + " for " + mode, String.valueOf(rows.getString(2)));
                    }
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return free;
    }

    private Map<String, String> freeBehind(
            TestContext context, Mapping mapping, State state, int row, LockRequest request) {
        Map<String, String> free = new TreeMap<>();
        Object id = mapping.id(row);
        undone(context, () -> {
            if (state == State.REFERENCE) {
                context.entities().getReference(mapping.entity, id);
            } else if (state == State.LOADED) {
                context.entities().find(mapping.entity, id);
            }
            statements.clear();
            boolean isLocked = context.template().lock(request).isHeld();
            free.putAll(free());
            free.put("locked", String.valueOf(isLocked));
        });
        return free;
    }

    /** Locks an existing row and an absent row. Some mappings hide the second row. */
    @Test
    void jpaLocksTheRowsThatRowlockLocks() {
        for (Mapping each : Mapping.values()) {
            for (int row : List.of(2, 4)) {
                LockKey key = LockKey.row(each.table(), each.id(row));
                for (LockRequest request : List.of(forNoKeyUpdate(key), forShare(key))) {
                    jpaLocksTheRowsThatRowlockLocks(each, State.UNKNOWN, row, request);
                }
            }
            jpaLocksTheRowsThatRowlockLocks(
                    each, State.LOADED, 1, forNoKeyUpdate(LockKey.row(each.table(), each.id(1))));
            for (State state : State.values()) {
                jpaLocksTheRowsThatRowlockLocks(each, state, 2, forNoKeyUpdate(each.keys(3, 2, 4)));
            }
        }
    }

    @Test
    @Tag("long")
    void jpaLocksTheRowsThatRowlockLocksInEveryState() {
        for (Mapping each : Mapping.values()) {
            for (State state : State.values()) {
                for (int row = 1; row <= (state == State.UNKNOWN ? 4 : 3); row++) {
                    LockKey key = LockKey.row(each.table(), each.id(row));
                    for (LockRequest request : List.of(
                            forNoKeyUpdate(key),
                            forShare(key),
                            forUpdate(key),
                            LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(key)))) {
                        jpaLocksTheRowsThatRowlockLocks(each, state, row, request);
                    }
                }
            }
        }
    }

    private void jpaLocksTheRowsThatRowlockLocks(Mapping mapping, State state, int row, LockRequest asked) {
        LockRequest request = asked.allowAbsent();
        Map<String, String> own = freeBehind(byRowlock(), mapping, state, row, request);
        assertThat(freeBehind(byJpa, mapping, state, row, request))
                .as("%s: %s of row %s, %s", mapping, RequestParts.of(request).mode(), row, state)
                .isEqualTo(own);
    }

    /** Hibernate's find waits without a bound, so it must not replace a lock that must not wait. */
    @Test
    void aLockThatMustNotWaitIsRowlocksOwn() throws SQLException {
        LockRequest request = forNoKeyUpdate(LockKey.row("plain", 1));
        undone(byJpa, () -> byJpa.template().lock(request));
        try (Statement statement = others.createStatement()) {
            statement.execute("set idle_in_transaction_session_timeout = '20s'"); // ends a wait, should there be one
            others.setAutoCommit(false);
            statement.execute("select 1 from plain where id = 1 for update");
            assertNotAcquired(() -> undone(byJpa, () -> byJpa.template().lock(request.noWait())));
            statement.execute("select 1"); // The session has not been ended, and still holds the lock.
            others.rollback();
        }
    }

    /** A query inherits the timeout of the session, but a find does not. */
    @Test
    void theQueryTimeoutOfTheSessionDoesNotEndTheWaitForALock() throws Exception {
        try (Statement statement = others.createStatement()) {
            others.setAutoCommit(false);
            statement.execute("select 1 from plain where id = 2 for update");
            CompletableFuture<Void> call = CompletableFuture.runAsync(() -> byJpa.inTransaction(status -> {
                byJpa.entities().setProperty("jakarta.persistence.query.timeout", 100);
                byJpa.template().lock(forNoKeyUpdate(Mapping.PLAIN.keys(1, 2)));
            }));
            TestDatabase.await("a wait that is longer than the timeout, which Hibernate rounds up to a second")
                    .until(() -> call.isDone() || RowLockTests.waitsFor(database, "1300 ms"));
            others.rollback();
            TestDatabase.result(call);
        }
        assertThat(statements).anyMatch(sql -> sql.contains(" order by "));
    }

    @Test
    void theFindBehindTheLockIsAnsweredFromThePersistenceContext() {
        for (Mapping mapping : Mapping.values()) {
            // In some mappings the id is not the primary key of the table, so the table may have no row with this id.
            LockRequest request =
                    forNoKeyUpdate(LockKey.row(mapping.table(), mapping.id(1))).allowAbsent();
            // The first lock determines the statement of the find.
            freeBehind(byJpa, mapping, State.UNKNOWN, 1, request);
            undone(byJpa, () -> {
                statements.clear();
                byJpa.template().lock(request);
                assertThat(statements.stream().filter(sql -> sql.contains("for no key update")))
                        .as("%s", mapping)
                        .hasSize(mapping.isLockedByJpa ? 1 : 0);
                statements.clear();
                assertThat(byJpa.entities().find(mapping.entity, mapping.id(1))).isNotNull();
                assertThat(statements.isEmpty()).as("%s", mapping).isEqualTo(mapping.isLockedByJpa);
            });
        }
    }

    /** Otherwise two calls with the same ids could wait for each other. */
    @Test
    void severalRowsAreReadAndLockedInTheOrderOfTheirIds() {
        for (Mapping mapping : Mapping.values()) {
            boolean isLockedByJpa = mapping.isLockedByJpa && mapping != Mapping.WORDED;
            for (List<LockKey> keys : List.of(mapping.keys(3, 1), mapping.keys(3, 1, 2))) {
                LockRequest request = forNoKeyUpdate(keys).allowAbsent();
                freeBehind(byJpa, mapping, State.UNKNOWN, 1, request);
                undone(byJpa, () -> {
                    statements.clear();
                    byJpa.template().lock(request);
                    assertThat(statements.stream()
                                    .filter(sql -> sql.matches(".* order by \\w+\\.id for no key update.*")))
                            .as("%s", mapping)
                            .hasSize(isLockedByJpa ? 1 : 0);
                    statements.clear();
                    for (int row : List.of(1, 3)) {
                        assertThat(byJpa.entities().find(mapping.entity, mapping.id(row)))
                                .isNotNull();
                    }
                    assertThat(statements.isEmpty()).as("%s", mapping).isEqualTo(isLockedByJpa);
                });
            }
        }
    }

    @Test
    void whatWasLoadedIsAsItIsBehindTheLock() {
        for (State state : State.values()) {
            RowLockTests.execute(database, "update plain set amount = 0 where id = 1");
            EntityManager entities = byJpa.entities();
            undone(byJpa, () -> {
                if (state == State.LOADED) {
                    assertThat(entities.find(Plain.class, 1L).amount).isZero();
                } else if (state == State.REFERENCE) {
                    entities.getReference(Plain.class, 1L);
                }
                RowLockTests.execute(database, "update plain set amount = 7 where id = 1");
                statements.clear();
                byJpa.template().lock(forNoKeyUpdate(LockKey.row("plain", 1)));
                assertThat(((Plain) org.hibernate.Hibernate.unproxy(entities.find(Plain.class, 1L))).amount)
                        .isEqualTo(7);
                assertThat(statements.stream().filter(sql -> sql.startsWith("select")))
                        .hasSizeLessThanOrEqualTo(3);
            });
        }
    }

    /** The application has not read the entity, so Hibernate must not write it. */
    @Test
    void anEntityThatOnlyTheLockHasReadOverwritesNothing() throws SQLException {
        // After the first lock, Rowlock's own statement locks, so only the first lock reads the entity.
        for (boolean isAlone : List.of(false, true)) {
            database.execute("truncate normalized", "insert into normalized values (1, 0, ' x ')");
            byJpa.inTransaction(status -> {
                if (!isAlone) {
                    byJpa.entities().getReference(Normalized.class, 1L);
                }
                byJpa.template().lock(forNoKeyUpdate(LockKey.row("normalized", 1L)));
                new JdbcTemplate(byJpa.getBean(DataSource.class)).update("update normalized set amount = 7");
            });
            assertThat(database.query("select amount from normalized"))
                    .as("alone in the session: %s", isAlone)
                    .isEqualTo("7");
        }
    }

    /** Its row is not even locked, so the write would also undo the commits of others. */
    @Test
    void anEntityToWhichTheLockedOneRefersIsNotWrittenEither() throws SQLException {
        database.execute("insert into normalized values (1, 0, ' x ')", "insert into referring values (1, 0, 1)");
        byJpa.inTransaction(status -> {
            byJpa.template().lock(forNoKeyUpdate(LockKey.row("referring", 1L)));
            new JdbcTemplate(byJpa.getBean(DataSource.class)).update("update normalized set amount = 7");
            assertThat(byJpa.entities().find(Referring.class, 1L).normalized.amount)
                    .isEqualTo(7);
        });
        assertThat(database.query("select amount from normalized")).isEqualTo("7");
    }

    /** A filter changes the statement of the find. The changed statement would not find the row that must be locked. */
    @Test
    void aFilterIsNoReasonToLockNothing() {
        undone(byJpa, () -> {
            byJpa.entities().unwrap(Session.class).enableFilter("least").setParameter("least", 5L);
            RowLockTests.assertHeld(byJpa.template().lock(forNoKeyUpdate(LockKey.row("filtered", 1))));
        });
    }

    /** Hibernate treats an entity as absent if its removal was not flushed yet. */
    @Test
    void whatTheSessionHasRemovedOrNotYetInsertedIsLockedAsItIs() {
        undone(byJpa, () -> {
            byJpa.entities().remove(byJpa.entities().find(Plain.class, 1L));
            RowLockTests.assertHeld(byJpa.template().lock(forNoKeyUpdate(LockKey.row("plain", 1))));
            Plain fresh = new Plain();
            fresh.id = 9L;
            byJpa.entities().persist(fresh);
            assertThat(byJpa.template()
                            .lock(forNoKeyUpdate(LockKey.row("plain", 9)).allowAbsent())
                            .absentRows())
                    .isNotEmpty();
        });
    }

    @Test
    void anAbsentRowIsRefusedAsByRowlock() {
        for (TestContext context : List.of(byJpa, byRowlock())) {
            assertThatThrownBy(() -> context.getBean(Plains.class).add(42))
                    .isInstanceOf(EmptyResultDataAccessException.class)
                    .hasMessageContaining("the row plain[42] does not exist");
        }
    }

    /** In Hibernate 7, JPA's find returns null for these errors. */
    @Test
    void anErrorOfTheServerIsNotTakenForAnAbsentRow() {
        LockRequest request = forNoKeyUpdate(LockKey.row("plain", 1)).allowAbsent();
        undone(byJpa, () -> {
            byJpa.entities().createNativeQuery("set transaction read only").executeUpdate();
            assertMisuse(() -> byJpa.template().lock(request)).hasMessageContaining("read-only");
        });
        Throwable[] lost = new Throwable[1];
        Throwable unused = catchThrowable(() -> undone(byJpa, () -> {
            Object pid = byJpa.entities()
                    .createNativeQuery("select pg_backend_pid()")
                    .getSingleResult();
            RowLockTests.query(database, "select pg_terminate_backend(" + pid + ", 10000)");
            lost[0] = catchThrowable(() -> byJpa.template().lock(request));
        }));
        assertThat(lost[0]).isInstanceOf(DataAccessResourceFailureException.class);
    }

    /** Whether no other transaction can lock the first row of a table. */
    private boolean isHeld(String table) {
        return !free().get(table + " for FOR_NO_KEY_UPDATE").contains("(0,1)");
    }

    /** After the rollback to the savepoint, Hibernate still treats the row as locked, and would only read the row. */
    @Test
    void aLockThatASavepointTookBackIsTakenAgain() {
        undone(byJpa, () -> {
            EntityManager entities = byJpa.entities();
            entities.unwrap(Session.class).doWork(connection -> {
                Savepoint savepoint = connection.setSavepoint();
                entities.find(Plain.class, 1L, LockModeType.PESSIMISTIC_WRITE);
                assertThat(isHeld("plain")).isTrue();
                connection.rollback(savepoint);
            });
            assertThat(isHeld("plain")).isFalse();
            byJpa.template().lock(forShare(LockKey.row("plain", 1L)));
            assertThat(isHeld("plain")).isTrue();
        });
    }

    /** The session belongs to the outer transaction, which uses another connection. */
    @Test
    void aTransactionOfAnotherManagerLocksForItself() {
        TransactionTemplate inner =
                new TransactionTemplate(new DataSourceTransactionManager(byJpa.getBean(DataSource.class)));
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        undone(byJpa, () -> {
            assertThat(byJpa.entities().find(Plain.class, 2L)).isNotNull();
            inner.executeWithoutResult(status -> {
                byJpa.template().lock(forNoKeyUpdate(LockKey.row("plain", 1L)));
                assertThat(isHeld("plain")).isTrue();
            });
            assertThat(isHeld("plain")).isFalse();
        });
    }

    @Test
    void aRowWhoseReferenceIsRemovedIsLocked() {
        undone(byJpa, () -> {
            byJpa.entities().remove(byJpa.entities().getReference(Plain.class, 1L));
            RowLockTests.assertHeld(byJpa.template().lock(forNoKeyUpdate(LockKey.row("plain", 1L))));
        });
    }

    /** Rowlock reads the statement of the find from a separate session, which must leave nothing behind. */
    @Test
    void theSessionOfTheTransactionHasTheLock() {
        undone(byJpa, () -> {
            byJpa.template().lock(forNoKeyUpdate(LockKey.row("plain", 1)));
            SessionImplementor session = byJpa.entities().unwrap(SessionImplementor.class);
            assertThat(session.getPersistenceContextInternal().getNumberOfManagedEntities())
                    .isEqualTo(1);
        });
    }
}
