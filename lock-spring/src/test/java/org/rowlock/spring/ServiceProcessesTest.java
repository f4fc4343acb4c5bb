package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.FlushFailuresTest.Item;
import org.rowlock.spring.FlushFailuresTest.Main;
import org.rowlock.spring.FlushFailuresTest.Note;
import org.rowlock.spring.FlushFailuresTest.Part;
import org.rowlock.spring.FlushFailuresTest.Slot;
import org.rowlock.spring.FlushFailuresTest.SlotId;
import org.rowlock.spring.RandomServices.Line;
import org.rowlock.spring.RandomServices.Owner;
import org.rowlock.spring.RandomServices.Services;
import org.rowlock.spring.libraries.JpaTransactions;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.ChildJvm;
import org.rowlock.testing.LedgerStorm;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Several JVMs run random services on the same rows. Meanwhile connections are cut, server processes and threads are
 * disturbed, and one JVM is killed. Each transaction stores its changes in a ledger. What a transaction is told must be
 * what is stored, and each row must contain exactly the changes that the ledger names.
 */
@Tag("long")
class ServiceProcessesTest {
    /** How many transactions each JVM runs. */
    private static final int MEMBERS = Integer.getInteger("rowlock.test.process-members", 600);

    private static final String READY = "ready";
    private static final String DONE = "done";

    /** The changes that each row contains: the name of the row, its version if it has one, and two counts. */
    private static final String ROWS =
            "select 'item ' || id as row, version, amount as first, amount as second from item"
                    + " union all select 'note ' || id, text::int, text::int, text::int from note"
                    + " union all select 'slot ' || number, text::int, text::int, text::int from slot"
                    + " union all select 'main ' || id, version, name::int, coalesce(part.text, name)::int"
                    + " from main left join part using (id)"
                    + " union all select 'owner ' || o.id, version, o.number, coalesce(line.number, 0)"
                    + " from owner o left join line on line.owner = o.id";

    private static final String LEDGER = "select change, count(*), count(*), count(*)"
            + " from ledger, unnest(string_to_array(changes, ',')) change where change <> '' group by change";

    enum Locks {
        ROWLOCK,
        JPA,
        NONE
    }

    @RegisterExtension
    final TestDatabase database =
            RandomServicesTest.database("create table ledger (entry uuid primary key, id int, changes text)");

    private final Queue<String> said = new ConcurrentLinkedQueue<>();
    private final List<Process> jvms = new ArrayList<>();

    @ParameterizedTest
    @EnumSource
    void whatIsToldIsStoredAndNothingIsLost(Locks locks) throws Exception {
        database.execute(
                "insert into item (id, version, name, amount) select i, 0, i, 0 from generate_series(1, 5) i",
                "insert into note select i, 0 from generate_series(1, 5) i",
                "insert into slot select 'state BLOCKED', i, now(), 0 from generate_series(1, 5) i",
                "insert into main select i, 0, 0 from generate_series(1, 5) i",
                "insert into part select i, 0 from generate_series(2, 4) i",
                "insert into owner select i, 0, 0 from generate_series(1, 5) i");
        try {
            jvms.add(start(1, locks));
            jvms.add(start(2, locks));
            await(READY, 2);
            for (Process each : jvms) {
                each.getOutputStream().close();
            }
            await("STORED 1", MEMBERS / 8);
            jvms.get(0).destroyForcibly();
            jvms.add(start(3, locks));
            jvms.get(2).getOutputStream().close();
            await(DONE, 2);
        } finally {
            jvms.forEach(Process::destroyForcibly);
        }
        String seeds = said("seed ").toString();
        assertThat(said).as(seeds).noneMatch(line -> line.startsWith(ChildJvm.UNREADABLE) || line.startsWith("wrong"));
        assertThat(said("UNKNOWN ")).isNotEmpty();
        assertThat(said("kept "))
                .doesNotContain(locks == Locks.ROWLOCK ? "0" : "")
                .hasSize(2);
        List<String> stored = List.of(
                database.query("select string_agg(id::text, ' ') from ledger").split(" "));
        assertThat(stored)
                .as(seeds)
                .doesNotHaveDuplicates()
                .containsAll(said("STORED "))
                .doesNotContainAnyElementsOf(said("FAILED "))
                .hasSizeGreaterThan(MEMBERS / 2);
        String changed = "(select * from (" + ROWS + ") r where first > 0 or version > 0)";
        String lost = database.query("select string_agg(x::text, ' ') from ((" + changed + " except (" + LEDGER
                + ")) union all ((" + LEDGER + ") except " + changed + ")) x");
        if (locks == Locks.NONE) {
            assertThat(lost).as(seeds).contains("note").doesNotContain("item", "main", "owner");
        } else {
            assertThat(lost).as(seeds).isNull();
        }
    }

    private Process start(int number, Locks locks) throws IOException {
        PGSimpleDataSource impatient = database.dataSourceWith("-c deadlock_timeout=50ms -c lock_timeout=5s");
        // The storm of a JVM ends only sessions of its own.
        impatient.setApplicationName(database.schema() + "_" + number);
        return ChildJvm.start(
                Jvm.class,
                "192m",
                ProcessBuilder.Redirect.INHERIT,
                said,
                impatient,
                Integer.toString(number),
                locks.name(),
                Integer.toString(MEMBERS));
    }

    private List<String> said(String word) {
        return said.stream()
                .filter(line -> line.startsWith(word))
                .map(line -> line.substring(word.length()))
                .toList();
    }

    private void await(String word, int count) {
        TestDatabase.await(word)
                .atMost(TestDatabase.DEADLINE.multipliedBy(5))
                .failFast(
                        "A JVM has ended",
                        () -> jvms.stream().filter(Process::isAlive).count()
                                        + said(DONE).size()
                                < 2)
                .until(() -> said(word).size() >= count);
    }

    /** The changes of one transaction. */
    @Entity(name = "ledger")
    static class Entry {
        @Id
        @GeneratedValue
        UUID entry;

        int id;
        String changes = "";
    }

    private interface Lock {
        void of(Services services, int id, Runnable work);
    }

    /**
     * The kinds of rows. An UPDATE changes a row as the change does, but not entities in two tables.
     *
     * @param key returns the id of the entity
     */
    private record Kind(Class<?> type, IntFunction<?> key, Lock lock, BiConsumer<Object, Long> change, String update) {
        static final List<Kind> ALL = List.of(
                new Kind(
                        Item.class,
                        id -> (long) id,
                        (services, id, work) -> services.items(List.of((long) id, (long) beside(id)), work),
                        (item, unique) -> ((Item) item).amount++,
                        "update item set amount = amount + 1, version = version + 1 where id = "),
                new Kind(
                        Note.class,
                        id -> (long) id,
                        Services::note,
                        (note, unique) -> ((Note) note).text = next(((Note) note).text),
                        "update note set text = text::int + 1 where id = "),
                new Kind(
                        Slot.class,
                        id -> new SlotId(Thread.State.BLOCKED, id),
                        (services, id, work) -> services.slot("state BLOCKED", id, work),
                        (slot, unique) -> ((Slot) slot).text = next(((Slot) slot).text),
                        "update slot set text = text::int + 1, version = clock_timestamp() where number = "),
                new Kind(Main.class, id -> Thread.State.values()[id], Services::main, Kind::changeMain, null),
                new Kind(Owner.class, id -> (long) id, Services::owner, Kind::changeOwner, null));

        /** Returns another id that the same transactions use. */
        private static int beside(int id) {
            return id > 3 ? 9 - id : 1 + id % 3;
        }

        private static void changeMain(Object entity, long unique) {
            Main main = (Main) entity;
            main.name = next(main.name);
            if (main instanceof Part part) {
                part.text = next(part.text);
            }
        }

        private static void changeOwner(Object entity, long unique) {
            Owner owner = (Owner) entity;
            owner.number++;
            owner.lines.clear();
            Line line = new Line();
            line.id = unique;
            line.number = owner.number;
            owner.lines.add(line);
        }

        private static String next(String number) {
            return Integer.toString(Integer.parseInt(number) + 1);
        }
    }

    private record Row(Kind kind, int id) {
        static Row of(Random random, boolean isInner) {
            // An inner transaction must not wait for rows of the outer transaction.
            return new Row(Kind.ALL.get(random.nextInt(5)), isInner ? 4 + random.nextInt(2) : 1 + random.nextInt(3));
        }

        String table() {
            return kind.type.getSimpleName().toLowerCase(Locale.ROOT);
        }

        Object key() {
            return kind.key.apply(id);
        }

        void lock(TestContext context, Runnable work) {
            kind.lock.of(context.getBean(Services.class), id, work);
        }
    }

    /** One of the JVMs. It prints the outcome of each transaction. */
    static final class Jvm extends LedgerStorm {
        private static final int THREADS = 4;

        private final int first;
        private final int members;
        private final Locks locks;
        private final TestContext context = new TestContext();
        private EntityManager entities;

        private Jvm(PGSimpleDataSource database, String[] args) {
            super(database, THREADS, Integer.parseInt(args[5]), 15);
            this.first = Integer.parseInt(args[3]) * 100_000;
            this.locks = Locks.valueOf(args[4]);
            this.members = Integer.parseInt(args[5]);
        }

        public static void main(String[] args) throws Exception {
            new Jvm(ChildJvm.database(args), args).run(ChildJvm.database(args));
        }

        private void run(PGSimpleDataSource database) throws Exception {
            Random random = new Random(seed);
            System.out.println("seed " + seed);
            int batch = random.nextInt(3) * 10;
            Map<String, ?> properties = Map.of(
                    "hibernate.jdbc.batch_size", batch,
                    "hibernate.order_updates", random.nextBoolean(),
                    "hibernate.order_inserts", random.nextBoolean());
            try (TcpProxy proxy = TcpProxy.to(database);
                    HikariDataSource pool = Contexts.pool(proxy.through(database));
                    RowlockDataSource dropIn =
                            RowlockDataSource.wrap(pool, "process", Map.of("flushWithCommit", "true"));
                    context) {
                database.setApplicationName(applicationName());
                pool.setMaximumPoolSize(2 * THREADS);
                boolean isRowlock = locks == Locks.ROWLOCK;
                context.registerBean("dataSource", DataSource.class, () -> isRowlock ? dropIn : pool);
                Class<?>[] types = Stream.concat(Stream.of(RandomServices.ENTITIES), Stream.of(Entry.class))
                        .toArray(Class<?>[]::new);
                context.registerBean(Unit.class, () -> new Unit(properties, types));
                context.register(
                        isRowlock ? JpaTransactions.class : JpaTransactions.WithoutLocks.class, Services.class);
                context.refresh();
                entities = context.entities();
                System.out.println(READY);
                int unused = System.in.read();
                blow(proxy, random);
                System.out.println("kept "
                        + dropIn.control().getFigures().values().stream()
                                .mapToLong(each -> each.getOrDefault("kept", 0L))
                                .sum());
            }
            System.out.println(DONE);
        }

        @Override
        protected Told pay(int id, Random random) {
            return new Member(first + id, false, random).run();
        }

        /** A random transaction. */
        private final class Member {
            private final int id;
            private final boolean isInner;
            private final Random random;
            private final Set<Row> used = new HashSet<>();
            private final Entry entry = new Entry();
            private final AtomicInteger completion = new AtomicInteger(TransactionSynchronization.STATUS_UNKNOWN);
            private boolean hasWorked;

            Member(int id, boolean isInner, Random random) {
                this.id = id;
                this.isInner = isInner;
                this.random = random;
                entry.id = id;
            }

            Told run() {
                Told told;
                try {
                    if (locks == Locks.ROWLOCK && !isInner && random.nextBoolean()) {
                        Row.of(random, false).lock(context, this::work);
                    } else {
                        context.transactions(isInner ? Propagation.REQUIRES_NEW : Propagation.REQUIRED)
                                .executeWithoutResult(status -> work());
                    }
                    told = Told.STORED;
                } catch (RuntimeException e) {
                    told = hasWorked && isLost(e) ? Told.UNKNOWN : Told.FAILED;
                    if (e instanceof ClassCastException || e instanceof NullPointerException) {
                        System.out.println("wrong " + e);
                    }
                }
                if (completion.get() == TransactionSynchronization.STATUS_COMMITTED != (told == Told.STORED)) {
                    System.out.println("wrong status of " + id);
                }
                System.out.println(told + " " + id);
                return told;
            }

            private static boolean isLost(Throwable failure) {
                for (Throwable each = failure; each != null; each = each.getCause()) {
                    if (each instanceof SQLException e) {
                        String state = e.getSQLState();
                        return state == null || state.startsWith("08") || state.startsWith("57P");
                    }
                }
                return false;
            }

            private void work() {
                TestContext.afterCompletion(completion::set);
                int end = random.nextInt(16);
                for (int i = 1 + random.nextInt(3); i > 0; i--) {
                    step();
                }
                entities.persist(entry);
                switch (end) {
                    case 0 -> throw new IllegalStateException("by the application");
                    case 1 -> context.inTransaction(status -> status.setRollbackOnly());
                    case 2 -> TestContext.beforeCommit(this::step);
                    case 3 -> entities.flush();
                    default -> {}
                }
                hasWorked = true;
            }

            private void step() {
                Row row = Row.of(random, isInner);
                switch (random.nextInt(11)) {
                    case 0 -> entities.flush();
                    case 1 ->
                        sql("set local " + (random.nextBoolean() ? "lock" : "statement") + "_timeout = "
                                + (1 + random.nextInt(20)));
                    case 2, 3 -> savepoint(row, random.nextBoolean());
                    case 4, 5 -> {
                        if (!isInner && used.add(null)) {
                            new Member(id + members, true, random).run();
                        }
                    }
                    default -> change(row);
                }
            }

            private void savepoint(Row row, boolean isUndone) {
                // The rollback also releases the row beside, which a lock of several rows acquires.
                used.add(new Row(row.kind, Kind.beside(row.id)));
                String before = entry.changes;
                RandomServices.savepoint(entities, () -> change(row), isUndone);
                entry.changes = isUndone ? before : entry.changes;
            }

            private int sql(String sql) {
                return entities.createNativeQuery(sql).executeUpdate();
            }

            private void change(Row row) {
                if (!used.add(row)) {
                    return;
                }
                boolean isWithVersion = row.kind.type != Note.class;
                switch (locks == Locks.NONE ? 6 : random.nextInt(7)) {
                    case 0 -> change(row, entities.find(row.kind.type, row.key(), LockModeType.PESSIMISTIC_WRITE));
                    case 1 ->
                        change(
                                row,
                                entities.createQuery("select e from " + row.table() + " e where e.id = :id")
                                        .setParameter("id", row.key())
                                        .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                                        .getSingleResult());
                    case 2 -> {
                        if (row.kind.update != null && sql(row.kind.update + row.id) == 1) {
                            changed(row);
                        }
                    }
                    case 3 -> lock(row, find(row));
                    case 4 -> lock(row, null);
                    default -> {
                        if (isWithVersion || locks == Locks.NONE) {
                            change(row, find(row));
                        }
                    }
                }
                if (random.nextInt(4) == 0) {
                    entities.flush();
                }
            }

            private Object find(Row row) {
                return entities.find(row.kind.type, row.key());
            }

            /** Locks a row, which the session may have loaded, and changes it. */
            private void lock(Row row, Object loaded) {
                if (locks == Locks.ROWLOCK) {
                    row.lock(context, () -> change(row, find(row)));
                } else {
                    Object found = loaded == null ? find(row) : loaded;
                    entities.refresh(found, LockModeType.PESSIMISTIC_WRITE);
                    change(row, found);
                }
            }

            private void change(Row row, Object found) {
                if (found == null) {
                    // Hibernate 7 returns null if the connection is lost.
                    throw new IllegalStateException("lost");
                }
                row.kind.change.accept(found, 10L * id + row.id);
                changed(row);
            }

            private void changed(Row row) {
                entry.changes += "," + row.table() + " " + row.id;
            }
        }
    }
}
