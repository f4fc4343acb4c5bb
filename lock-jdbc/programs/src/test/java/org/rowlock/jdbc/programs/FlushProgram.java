package org.rowlock.jdbc.programs;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderColumn;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StaleStateException;
import org.hibernate.TransactionException;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.Generated;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.cfg.Configuration;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jdbc.CommitFlush;
import org.rowlock.jdbc.CommitFlushException;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/**
 * Runs random transactions of Hibernate on random graphs of entities, and records their outcomes. The same seed gives
 * the same transactions.
 */
final class FlushProgram {
    /** The tables whose every UPDATE and DELETE Hibernate checks for one row. */
    private static final Set<String> CHECKED =
            Set.of("owner", "item", "plain", "base", "derived", "counter", "badge", "audited", "hidden");

    private static final int TRANSACTIONS = 14;
    private static final int IDS = 6;

    /** The rows of the table plain that only deadlocks use. */
    private static final long HELD_HERE = 101;

    private static final long HELD_BESIDE = 102;

    @Entity(name = "owner")
    static class Owner {
        @Id
        long id;

        @Column(unique = true)
        String name;

        @Version
        int version;

        Instant changed;
        byte[] image;

        @ElementCollection
        Set<String> tags = new TreeSet<>();

        @ElementCollection
        @OrderColumn
        List<Integer> numbers = new ArrayList<>();

        @OneToMany(mappedBy = "owner", cascade = CascadeType.ALL, orphanRemoval = true)
        List<Item> items = new ArrayList<>();
    }

    @Entity(name = "item")
    static class Item {
        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE)
        long id;

        @ManyToOne
        Owner owner;

        int price;
    }

    /** An entity without a version. */
    @Entity(name = "plain")
    @DynamicUpdate
    static class Plain {
        @Id
        long id;

        int first;
        Integer second;
        UUID third;
        LocalDate fourth;
    }

    @Entity(name = "base")
    @Inheritance(strategy = InheritanceType.JOINED)
    static class Base {
        @Id
        long id;

        @Version
        long version;

        int number;
    }

    @Entity(name = "derived")
    static class Derived extends Base {
        String text;
    }

    @Entity(name = "counter")
    static class Counter {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        int number;

        @Generated
        @Column(columnDefinition = "int generated always as (number * 2) stored", insertable = false, updatable = false)
        Integer twice;
    }

    /** An entity whose second table has a row only if it has a note. */
    @Entity(name = "badge")
    @SecondaryTable(name = "badge_text")
    static class Badge {
        @Id
        long id;

        int number;

        @Column(table = "badge_text")
        String text;
    }

    /** An entity whose table has a trigger that changes the row. */
    @Entity(name = "audited")
    static class Audited {
        @Id
        long id;

        int number;
    }

    @Entity(name = "hidden")
    @SoftDelete
    static class Hidden {
        @Id
        long id;

        int number;
    }

    static final List<Class<?>> ENTITIES = List.of(
            Owner.class,
            Item.class,
            Plain.class,
            Base.class,
            Derived.class,
            Counter.class,
            Badge.class,
            Audited.class,
            Hidden.class);

    /** A row that the transaction has read. */
    private record Read(String table, long id) {}

    private final SessionFactory sessions;
    private final TestDatabase database;
    private final Random random;
    private final boolean keeps;
    private final List<String> told = new ArrayList<>();

    /** The entity that the last reading step has read; null if no step of this transaction has read one. */
    private Read last;

    /** A step of another program that waits for a row of this transaction; null if there is none. */
    private Step<?> waiting;

    /**
     * @param database the database, whose rows another program changes too
     *
     * @param keeps whether the flush goes with the COMMIT
     */
    FlushProgram(SessionFactory sessions, TestDatabase database, boolean keeps, long seed) {
        this.sessions = sessions;
        this.database = database;
        this.keeps = keeps;
        this.random = new Random(seed);
    }

    static SessionFactory factory(DataSource dataSource, int batch) {
        Configuration configuration = new Configuration();
        ENTITIES.forEach(configuration::addAnnotatedClass);
        configuration.getProperties().put("hibernate.connection.datasource", dataSource);
        configuration.setProperty("hibernate.hbm2ddl.auto", "create");
        configuration.setProperty("hibernate.jdbc.batch_size", Integer.toString(batch));
        configuration.setProperty("hibernate.order_updates", batch > 0);
        return configuration.buildSessionFactory();
    }

    List<String> run() throws Exception {
        database.execute("insert into plain(id, first) values (" + HELD_HERE + ", 0), (" + HELD_BESIDE + ", 0)");
        PGSimpleDataSource patient = database.dataSource();
        patient.setOptions("-c deadlock_timeout=1h");
        try (org.rowlock.testing.Session beside = database.session("beside", patient)) {
            for (int i = 0; i < TRANSACTIONS; i++) {
                transaction(beside);
                if (waiting != null) {
                    waiting.get();
                    waiting = null;
                    beside.rollback();
                }
            }
        }
        return told;
    }

    private void transaction(org.rowlock.testing.Session beside) throws Exception {
        int steps = 1 + random.nextInt(5);
        boolean rollsBack = random.nextInt(8) == 0;
        int fault = random.nextInt(10);
        last = null;
        try (Session session = sessions.openSession()) {
            session.beginTransaction();
            int begun = told.size();
            try {
                for (int i = 0; i < steps; i++) {
                    step(session);
                }
                disturb(session, beside, fault);
                if (rollsBack) {
                    session.getTransaction().rollback();
                    told.add("rolled back");
                } else {
                    if (keeps) {
                        session.doWork(connection -> CommitFlush.open(connection, CHECKED::contains));
                    }
                    session.getTransaction().commit();
                    told.add("committed");
                }
            } catch (RuntimeException e) {
                told.subList(begun, told.size()).clear();
                told.add(meaning(e));
                rollBack(session);
            }
        }
    }

    private static void rollBack(Session session) {
        try {
            if (session.getTransaction().isActive()) {
                session.getTransaction().rollback();
            }
        } catch (TransactionException e) {
            // The pool has closed the connection, because the server has ended its session.
        }
    }

    /** Returns the outcome, in words that are the same with and without the drop-in. */
    private static String meaning(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof StaleStateException || (each instanceof CommitFlushException e && e.isWrongCount())) {
                return "stale";
            }
            if (each instanceof SQLException e) {
                return e.getSQLState();
            }
        }
        return failure.getClass().getSimpleName();
    }

    private long id() {
        return 1 + random.nextInt(IDS);
    }

    private void step(Session session) {
        long id = id();
        int value = random.nextInt(100) - 5;
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> owner(session, id, value);
            case 3 -> {
                Plain plain = find(session, Plain.class, id, lock());
                if (plain == null) {
                    plain = new Plain();
                    plain.id = id;
                    session.persist(plain);
                }
                plain.first = value;
                plain.second = value % 2 == 0 ? null : value;
                plain.third = new UUID(value, id);
                plain.fourth = LocalDate.ofEpochDay(value);
            }
            case 4 -> {
                Base base = find(session, Base.class, id, lock());
                if (base == null) {
                    base = value % 2 == 0 ? new Base() : new Derived();
                    base.id = id;
                    session.persist(base);
                } else if (value % 7 == 0) {
                    session.remove(base);
                }
                base.number = value;
                if (base instanceof Derived derived) {
                    derived.text = "t" + value;
                }
            }
            case 5 -> {
                Counter counter = find(session, Counter.class, id, LockModeType.NONE);
                if (counter == null) {
                    counter = new Counter();
                    session.persist(counter);
                }
                counter.number = value;
            }
            case 6 -> {
                Badge badge = find(session, Badge.class, id, LockModeType.NONE);
                if (badge == null) {
                    badge = new Badge();
                    badge.id = id;
                    session.persist(badge);
                } else if (value % 5 == 0) {
                    session.remove(badge);
                }
                badge.number = value;
                badge.text = value % 3 == 0 ? null : "b" + value;
            }
            case 7 -> {
                Audited audited = find(session, Audited.class, id, LockModeType.NONE);
                if (audited == null) {
                    audited = new Audited();
                    audited.id = id;
                    session.persist(audited);
                }
                audited.number = value;
            }
            case 8 -> {
                Hidden hidden = find(session, Hidden.class, id, LockModeType.NONE);
                if (hidden == null) {
                    hidden = new Hidden();
                    hidden.id = id;
                    session.persist(hidden);
                } else if (value % 2 == 0) {
                    session.remove(hidden);
                }
                hidden.number = value;
            }
            case 9 -> session.flush();
            case 10 ->
                told.add("read "
                        + session.createQuery("select count(p) from plain p where p.first > 10", Long.class)
                                .getSingleResult());
            case 11 ->
                told.add("native "
                        + session.createNativeMutationQuery("update plain set first = first + 1 where id = :id")
                                .setParameter("id", id)
                                .executeUpdate());
            default -> nested(id, value);
        }
    }

    private <T> T find(Session session, Class<T> type, long id, LockModeType lock) {
        T found = session.find(type, id, lock);
        if (found != null) {
            last = new Read(type.getSimpleName().toLowerCase(Locale.ROOT), id);
        }
        return found;
    }

    private LockModeType lock() {
        return random.nextInt(3) == 0 ? LockModeType.PESSIMISTIC_WRITE : LockModeType.NONE;
    }

    private void owner(Session session, long id, int value) {
        Owner owner = find(session, Owner.class, id, lock());
        if (owner == null) {
            owner = new Owner();
            owner.id = id;
            session.persist(owner);
        } else if (value % 9 == 0) {
            session.remove(owner);
            return;
        }
        // Now and then two owners have the same name.
        owner.name = "n" + value % 12;
        owner.changed = Instant.ofEpochSecond(value);
        owner.image = new byte[] {(byte) value};
        if (!owner.tags.remove("t" + value % 4)) {
            owner.tags.add("t" + value % 4);
        }
        owner.numbers.add(0, value);
        if (owner.numbers.size() > 3) {
            owner.numbers.remove(1);
        }
        if (owner.items.size() > 2) {
            owner.items.remove(0);
        }
        Item item = new Item();
        item.owner = owner;
        item.price = value;
        owner.items.add(item);
        owner.items.get(0).price++;
    }

    /** Runs a transaction of its own while the other is open. */
    private void nested(long id, int value) {
        try (Session own = sessions.openSession()) {
            own.beginTransaction();
            Counter counter = new Counter();
            counter.number = value;
            own.persist(counter);
            Hidden hidden = own.find(Hidden.class, id);
            if (hidden != null) {
                hidden.number = value;
            }
            if (keeps) {
                own.doWork(connection -> CommitFlush.open(connection, CHECKED::contains));
            }
            own.getTransaction().commit();
        } catch (RuntimeException e) {
            told.add("nested " + meaning(e));
        }
    }

    /** Lets another program change what this one has read last, end its session, or wait for it. */
    private void disturb(Session session, org.rowlock.testing.Session beside, int fault) throws Exception {
        switch (fault) {
            case 0, 1, 2, 3 -> change();
            case 4 -> session.doWork(own -> end(own.unwrap(PGConnection.class).getBackendPID()));
            case 5 -> waitInACircle(session, beside);
            default -> {}
        }
    }

    private void change() throws SQLException {
        if (last == null) {
            return;
        }
        boolean versioned = Set.of("owner", "base").contains(last.table);
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("set lock_timeout = '20ms'");
            if (last.table.equals("badge")) {
                statement.execute("delete from badge_text where id = " + last.id);
            }
            statement.execute(
                    (versioned ? "update " + last.table + " set version = version + 1" : "delete from " + last.table)
                            + " where id = " + last.id);
        } catch (SQLException e) {
            told.add("beside " + e.getSQLState());
        }
    }

    private void end(int pid) throws SQLException {
        database.query("select pg_terminate_backend(" + pid + ", 10000)");
    }

    /** Makes a deadlock. The flush detects it, because the other session does not check for one. */
    private void waitInACircle(Session session, org.rowlock.testing.Session beside) throws Exception {
        session.find(Plain.class, HELD_HERE, LockModeType.PESSIMISTIC_WRITE);
        session.find(Plain.class, HELD_BESIDE).first++;
        beside.execute("select 1 from plain where id = " + HELD_BESIDE + " for update");
        waiting = beside.startExecute("select 1 from plain where id = " + HELD_HERE + " for update");
        TestDatabase.await("the other session waits")
                .until(() -> database.query("select cardinality(pg_blocking_pids(" + beside.pid() + ")) > 0")
                        .equals("t"));
    }
}
