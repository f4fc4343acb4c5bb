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
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StaleStateException;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.Generated;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.cfg.Configuration;
import org.rowlock.jdbc.CommitFlush;
import org.rowlock.jdbc.CommitFlushException;

/** Random transactions of Hibernate on random graphs of entities, the same for the same seed, and what each is told. */
final class FlushProgram {
    /** The tables whose every UPDATE and DELETE Hibernate checks for one row. */
    private static final Set<String> CHECKED =
            Set.of("owner", "item", "plain", "base", "derived", "counter", "badge", "audited", "hidden");

    private static final int TRANSACTIONS = 14;
    private static final int IDS = 6;

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

    /** Without a version. */
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

    /** Its second table has a row only if there is something to tell. */
    @Entity(name = "badge")
    @SecondaryTable(name = "badge_text")
    static class Badge {
        @Id
        long id;

        int number;

        @Column(table = "badge_text")
        String text;
    }

    /** Of a table with a trigger that changes the row. */
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

    private final SessionFactory sessions;
    private final DataSource beside;
    private final Random random;
    private final boolean keeps;
    private final List<String> told = new ArrayList<>();

    /**
     * @param beside connections of another program
     * @param keeps whether the flush goes with the COMMIT
     */
    FlushProgram(SessionFactory sessions, DataSource beside, boolean keeps, long seed) {
        this.sessions = sessions;
        this.beside = beside;
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

    List<String> run() throws SQLException {
        for (int i = 0; i < TRANSACTIONS; i++) {
            transaction();
        }
        return told;
    }

    private void transaction() throws SQLException {
        int steps = 1 + random.nextInt(5);
        boolean rollsBack = random.nextInt(8) == 0;
        int fault = random.nextInt(12);
        try (Session session = sessions.openSession()) {
            session.beginTransaction();
            int begun = told.size();
            try {
                for (int i = 0; i < steps; i++) {
                    step(session);
                }
                disturb(session, fault);
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
                if (session.getTransaction().isActive()) {
                    session.getTransaction().rollback();
                }
            }
        }
    }

    /** What became of it, in the words of either way. */
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
                Plain plain = session.find(Plain.class, id, lock());
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
                Base base = session.find(Base.class, id, lock());
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
                Counter counter = session.find(Counter.class, id);
                if (counter == null) {
                    counter = new Counter();
                    session.persist(counter);
                }
                counter.number = value;
            }
            case 6 -> {
                Badge badge = session.find(Badge.class, id);
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
                Audited audited = session.find(Audited.class, id);
                if (audited == null) {
                    audited = new Audited();
                    audited.id = id;
                    session.persist(audited);
                }
                audited.number = value;
            }
            case 8 -> {
                Hidden hidden = session.find(Hidden.class, id);
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

    private LockModeType lock() {
        return random.nextInt(3) == 0 ? LockModeType.PESSIMISTIC_WRITE : LockModeType.NONE;
    }

    private void owner(Session session, long id, int value) {
        Owner owner = session.find(Owner.class, id, lock());
        if (owner == null) {
            owner = new Owner();
            owner.id = id;
            session.persist(owner);
        } else if (value % 9 == 0) {
            session.remove(owner);
            return;
        }
        // Two owners of one name now and then.
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

    /** A transaction of its own while the other is open. */
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

    /** Another program changes or locks what this one has read, or ends its session. */
    private void disturb(Session session, int fault) throws SQLException {
        long id = id();
        if (fault > 5) {
            return;
        }
        try (Connection connection = beside.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("set lock_timeout = '20ms'");
            switch (fault) {
                case 0 -> statement.execute("update owner set version = version + 1 where id = " + id);
                case 1 -> statement.execute("delete from plain where id = " + id);
                case 2 -> statement.execute("update base set version = version + 1 where id = " + id);
                case 3 -> statement.execute("delete from badge_text where id = " + id);
                case 4 -> statement.execute("delete from hidden where id = " + id);
                default ->
                    session.doWork(own -> {
                        try (Statement pid = own.createStatement();
                                var row = pid.executeQuery("select pg_backend_pid()")) {
                            row.next();
                            statement.execute("select pg_terminate_backend(" + row.getInt(1) + ", 10000)");
                        }
                    });
            }
        } catch (SQLException e) {
            told.add("beside " + e.getSQLState());
        }
    }
}
