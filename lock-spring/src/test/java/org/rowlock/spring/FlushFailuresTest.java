package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Converter;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.StaleStateException;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.util.PSQLException;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.orm.ObjectOptimisticLockingFailureException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A failed flush with the COMMIT throws the exception that Hibernate and Spring throw without Rowlock. */
class FlushFailuresTest {
    static final String[] TABLES = {
        "create table parent (id bigint primary key, text text)",
        "create table item (id bigint primary key, version int not null, name text not null unique,"
                + " late text unique deferrable initially deferred, amount int check (amount >= 0),"
                + " slot int, code varchar(3), parent bigint references parent,"
                + " lateparent bigint references parent deferrable initially deferred,"
                + " exclude (slot with =))",
        "create table note (id bigint primary key, text text)",
        "create table row (id bigint primary key, version int not null)",
        "create table hashed (id bytea primary key, version int not null, text text)",
        "create table slot (row text, number bigint, version timestamp(6) with time zone not null, text text,"
                + " primary key (row, number))",
        "create table main (id smallint primary key, version int not null, name text)",
        "create table part (id smallint primary key references main, text text)"
    };

    @RegisterExtension
    final TestDatabase database = new TestDatabase(TABLES);

    @Entity(name = "item")
    static class Item {
        @Id
        long id;

        @Version
        int version;

        String name;
        String late;
        Integer amount;
        Integer slot;
        String code;
        Long parent;
        Long lateParent;
    }

    /** An entity without a version. */
    @Entity(name = "note")
    static class Note {
        @Id
        long id;

        String text;
    }

    /** An entity whose columns guard its updates, because it has no version. */
    @Entity(name = "parent")
    @DynamicUpdate
    @OptimisticLocking(type = OptimisticLockType.ALL)
    static class Parent {
        @Id
        long id;

        String text;
    }

    /** An entity whose table is a word in messages of Rowlock. */
    @Entity(name = "row")
    static class Row {
        @Id
        long id;

        @Version
        int version;
    }

    /** An entity whose id is an array in JDBC. */
    @Entity(name = "hashed")
    static class Hashed {
        @Id
        @JdbcTypeCode(SqlTypes.VARBINARY)
        UUID id;

        @Version
        int version;

        String text;
    }

    /** An entity whose id and version have other types in the database. */
    @Entity(name = "slot")
    static class Slot {
        @EmbeddedId
        SlotId id;

        @Version
        Instant version;

        String text;
    }

    @Embeddable
    record SlotId(Thread.State row, long number) implements Serializable {}

    @Converter(autoApply = true)
    static class States implements AttributeConverter<Thread.State, String> {
        @Override
        public String convertToDatabaseColumn(Thread.State state) {
            return state == null ? null : "state " + state;
        }

        @Override
        public Thread.State convertToEntityAttribute(String column) {
            return column == null ? null : Thread.State.valueOf(column.substring("state ".length()));
        }
    }

    /** An entity in two tables, of which only one has the version. */
    @Entity(name = "main")
    @Inheritance(strategy = InheritanceType.JOINED)
    static class Main {
        @Id
        @Enumerated(EnumType.ORDINAL)
        Thread.State id;

        @Version
        int version;

        String name;
    }

    @Entity(name = "part")
    static class Part extends Main {
        String text;
    }

    private interface Work {
        void run(EntityManager entities, Session other) throws Exception;
    }

    enum Fault {
        UNIQUE(changed(item -> item.name = "b")),
        DEFERRED_UNIQUE(changed(item -> item.late = "b")),
        FOREIGN_KEY(changed(item -> item.parent = 9L)),
        DEFERRED_FOREIGN_KEY(changed(item -> item.lateParent = 9L)),
        CHECK(changed(item -> item.amount = -1)),
        EXCLUSION(changed(item -> item.slot = 2)),
        NOT_NULL(changed(item -> item.name = null)),
        TOO_LONG(changed(item -> item.code = "long")),
        INSERT_OF_A_KNOWN_KEY((entities, other) -> {
            Note note = new Note();
            note.id = 1;
            entities.persist(note);
        }),
        CONCURRENT_UPDATE((entities, other) -> {
            entities.find(Item.class, 1L).amount = 1;
            other.execute("update item set amount = 9 where id = 1");
            other.commit();
        }),
        DEADLOCK((entities, other) -> {
            entities.createNativeQuery("set local deadlock_timeout = '50ms'").executeUpdate();
            other.execute("set deadlock_timeout = '1h'");
            other.execute("update item set amount = 9 where id = 2");
            entities.find(Item.class, 1L, LockModeType.PESSIMISTIC_WRITE);
            entities.find(Item.class, 2L).amount = 1;
            var unused = other.startExecute("update item set amount = 9 where id = 1");
            TestDatabase.await("the other session waits")
                    .until(() -> entities.createNativeQuery(
                                    "select cardinality(pg_blocking_pids(" + other.pid() + ")) > 0")
                            .getSingleResult()
                            .equals(true));
        }),
        LOCK_TIMEOUT((entities, other) -> {
            entities.createNativeQuery("set local lock_timeout = '50ms'").executeUpdate();
            entities.find(Item.class, 1L).amount = 1;
            other.execute("select from item where id = 1 for update");
        }),
        STATEMENT_TIMEOUT((entities, other) -> {
            entities.createNativeQuery("set local statement_timeout = '100ms'").executeUpdate();
            entities.find(Item.class, 1L).amount = 1;
            other.execute("select from item where id = 1 for update");
        }),
        STALE((entities, other) -> {
            // The same statement changes several entities, and the second change is stale.
            entities.find(Item.class, 1L).amount = 1;
            entities.find(Item.class, 2L).amount = 1;
            entities.find(Item.class, 3L).amount = 1;
            other.execute("update item set version = version + 1 where id = 2");
            other.commit();
        }),
        STALE_ALONE((entities, other) -> {
            entities.find(Item.class, 1L).amount = 1;
            other.execute("update item set version = version + 1 where id = 1");
            other.commit();
        }),
        STALE_BESIDE_AN_EQUAL_ID((entities, other) -> {
            entities.find(Item.class, 1L).amount = 1;
            entities.find(Row.class, 1L);
            other.execute("update item set version = version + 1 where id = 1");
            other.commit();
        }),
        STALE_COLUMNS((entities, other) -> {
            entities.find(Parent.class, 1L).text = "new";
            entities.find(Parent.class, 2L).text = "new";
            other.execute("update parent set text = 'other' where id = 2");
            other.commit();
        }),
        STALE_REMOVED((entities, other) -> {
            entities.remove(entities.find(Item.class, 3L));
            other.execute("update item set version = version + 1 where id = 3");
            other.commit();
        }),
        STALE_BYTES((entities, other) -> {
            entities.find(Hashed.class, new UUID(0, 1)).text = "new";
            entities.find(Hashed.class, new UUID(0, 2)).text = "new";
            other.execute("update hashed set version = version + 1 where get_byte(id, 15) = 2");
            other.commit();
        }),
        STALE_CONVERTED((entities, other) -> {
            entities.find(Slot.class, new SlotId(Thread.State.BLOCKED, 7)).text = "new";
            entities.find(Slot.class, new SlotId(Thread.State.BLOCKED, 8)).text = "new";
            other.execute("update slot set version = version + interval '1 s' where number = 8");
            other.commit();
        }),
        GONE_JOINED((entities, other) -> {
            entities.remove(entities.find(Part.class, Thread.State.NEW));
            other.execute("delete from part");
            other.execute("delete from main");
            other.commit();
        }),
        GONE((entities, other) -> {
            entities.find(Note.class, 1L).text = "new";
            entities.find(Item.class, 1L).amount = 1;
            other.execute("delete from note where id = 1");
            other.commit();
        });

        private final Work work;

        Fault(Work work) {
            this.work = work;
        }

        private static Work changed(Consumer<Item> change) {
            return (entities, other) -> change.accept(entities.find(Item.class, 1L));
        }
    }

    /**
     * The parts of an exception that an application may evaluate.
     *
     * @param sqlState the SQLSTATE, or the stale entity
     * @param stale how many stale entities the statistics of Hibernate have counted
     * @param isDrivers whether the exception of the driver is the most specific cause
     */
    record Failure(Class<?> type, Class<?> cause, String sqlState, boolean isDrivers, String constraint, long stale) {
        static Failure of(Throwable thrown, long staleEntities) {
            if (thrown instanceof ObjectOptimisticLockingFailureException stale) {
                return new Failure(
                        stale.getClass(),
                        stale.getMostSpecificCause() instanceof StaleStateException ? StaleStateException.class : null,
                        stale.getPersistentClassName() + '#' + stale.getIdentifier(),
                        false,
                        null,
                        staleEntities);
            }
            Throwable last = thrown;
            String constraint = null;
            for (Throwable each = thrown; each != null; each = each.getCause()) {
                last = each;
                constraint = each instanceof ConstraintViolationException violation
                        ? violation.getConstraintName()
                        : constraint;
            }
            Class<?> cause =
                    thrown.getCause() == null ? null : thrown.getCause().getClass();
            return new Failure(
                    thrown.getClass(),
                    cause,
                    last instanceof SQLException e ? e.getSQLState() : null,
                    last instanceof PSQLException,
                    constraint,
                    staleEntities);
        }
    }

    private Failure failure(Fault fault, DataSource dataSource, int batch) throws Exception {
        database.execute(
                "truncate item, note, row, hashed, parent, slot, main, part",
                "insert into item (id, version, name, late, slot) values"
                        + " (1, 0, 'a', 'a', 1), (2, 0, 'b', 'b', 2), (3, 0, 'c', 'c', 3)",
                "insert into note values (1, 'old')",
                "insert into parent select id, 'old' from generate_series(1, 2) id",
                "insert into row values (1, 2)",
                "insert into hashed select uuid_send(lpad(id::text, 32, '0')::uuid), 0 from generate_series(1, 2) id",
                "insert into slot select 'state BLOCKED', number, now() from generate_series(7, 8) number",
                "insert into main values (0, 0, 'a')",
                "insert into part values (0, 'a')");
        TestContext context = Contexts.jpa(
                database,
                dataSource,
                new Unit(
                        Map.of("hibernate.jdbc.batch_size", batch, "hibernate.generate_statistics", true),
                        Item.class,
                        Note.class,
                        Parent.class,
                        Row.class,
                        Hashed.class,
                        Slot.class,
                        States.class,
                        Main.class,
                        Part.class),
                beans -> Contexts.settings(beans, new TestSettings().verify(false)));
        EntityManager entities = context.entities();
        // The first transaction on a table keeps no writes.
        for (int i = 0; i < 2; i++) {
            int code = i;
            context.inTransaction(status -> {
                entities.find(Item.class, 1L).code = "" + code;
                entities.find(Note.class, 1L).text = "" + code;
                entities.find(Parent.class, 1L).text = "" + code;
                entities.find(Hashed.class, new UUID(0, 1)).text = "" + code;
                entities.find(Slot.class, new SlotId(Thread.State.BLOCKED, 7)).text = "" + code;
                Part part = entities.find(Part.class, Thread.State.NEW);
                part.name = "" + code;
                part.text = "" + code;
            });
        }
        TransactionTemplate transactions = context.transactions();
        if (fault == Fault.CONCURRENT_UPDATE) {
            transactions.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        }
        try (Session other = database.session("other")) {
            Throwable thrown = catchThrowable(() -> transactions.executeWithoutResult(status -> {
                try {
                    fault.work.run(entities, other);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }));
            other.rollback();
            assertThat(thrown).as("%s, batches of %d", fault, batch).isNotNull();
            long stale = context.getBean(EntityManagerFactory.class)
                    .unwrap(SessionFactory.class)
                    .getStatistics()
                    .getOptimisticFailureCount();
            return Failure.of(thrown, stale);
        }
    }

    @ParameterizedTest
    @EnumSource
    void isThrownAsWithoutRowlock(Fault fault) throws Exception {
        DataSource plain = Contexts.pool(database);
        for (int batch : new int[] {0, 20}) {
            RowlockDataSource keeping =
                    RowlockDataSource.wrap(Contexts.pool(database), "keeping", Map.of("flushWithCommit", "true"));
            database.closing(keeping);
            // In a batch, Hibernate does not name the stale entity. Rowlock does so in both cases.
            boolean isStale = fault.compareTo(Fault.STALE) >= 0;
            Failure expected = failure(fault, plain, isStale ? 0 : batch);
            assertThat(failure(fault, keeping, batch))
                    .as("batches of %d", batch)
                    .isEqualTo(expected);
            assertThat(keeping.control().getFigures().values().stream()
                            .mapToLong(table -> table.getOrDefault("kept", 0L))
                            .sum())
                    .as("two writes before the fault are kept, too")
                    .isGreaterThan(2);
        }
    }
}
