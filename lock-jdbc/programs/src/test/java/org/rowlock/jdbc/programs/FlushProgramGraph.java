package org.rowlock.jdbc.programs;

import jakarta.persistence.Cacheable;
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
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderBy;
import jakarta.persistence.OrderColumn;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.hibernate.Session;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.Generated;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.generator.EventType;

/** The entities of {@link FlushProgram}, and random changes of them in one session. */
final class FlushProgramGraph {
    /** The tables whose every UPDATE and DELETE Hibernate checks for one row. */
    static final Set<String> CHECKED = Set.of(
            "owner", "item", "plain", "base", "derived", "single", "counter", "badge", "audited", "hidden", "cached",
            "dirty");

    /** The tables that have a version, which another program may change without Hibernate. */
    static final Set<String> VERSIONED = Set.of("owner", "base", "single", "cached");

    private static final int IDS = 6;

    @MappedSuperclass
    abstract static class Row {
        @Id
        long id;
    }

    @MappedSuperclass
    abstract static class Numbered extends Row {
        int number;
    }

    @Entity(name = "owner")
    static class Owner extends Row {
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

        // Without an order, the item that is changed would depend on where PostgreSQL has stored the rows.
        @OneToMany(mappedBy = "owner", cascade = CascadeType.ALL, orphanRemoval = true)
        @OrderBy("id")
        List<Item> items = new ArrayList<>();
    }

    @Entity(name = "item")
    static class Item {
        // Hibernate keeps no numbers in memory, so a restart of the sequence restarts the ids.
        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "item_seq")
        @SequenceGenerator(name = "item_seq", sequenceName = "item_seq", allocationSize = 1)
        long id;

        @ManyToOne
        Owner owner;

        int price;
    }

    /** Without a version. */
    @Entity(name = "plain")
    @DynamicUpdate
    static class Plain extends Row {
        int first;
        Integer second;
        UUID third;
        LocalDate fourth;
    }

    @Entity(name = "base")
    @Inheritance(strategy = InheritanceType.JOINED)
    static class Base extends Numbered {
        @Version
        long version;
    }

    @Entity(name = "derived")
    static class Derived extends Base {
        String text;
    }

    @Entity(name = "single")
    @Inheritance(strategy = InheritanceType.SINGLE_TABLE)
    static class Single extends Numbered {
        @Version
        int version;
    }

    @Entity(name = "special")
    static class Special extends Single {
        String text;
    }

    @Entity(name = "counter")
    static class Counter {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        int number;

        @Generated(event = {EventType.INSERT, EventType.UPDATE})
        @Column(columnDefinition = "int generated always as (number * 2) stored", insertable = false, updatable = false)
        Integer twice;
    }

    /** Its second table has a row only if there is something to tell. */
    @Entity(name = "badge")
    @SecondaryTable(name = "badge_text")
    static class Badge extends Numbered {
        @Column(table = "badge_text")
        String text;
    }

    /** Has a table with a trigger that changes the row. */
    @Entity(name = "audited")
    static class Audited extends Numbered {}

    @Entity(name = "hidden")
    @SoftDelete
    static class Hidden extends Numbered {}

    /** Its rows stay in the second-level cache. */
    @Entity(name = "cached")
    @Cacheable
    @org.hibernate.annotations.Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
    static class Cached extends Numbered {
        @Version
        int version;
    }

    /** What has changed guards the update, instead of a version. */
    @Entity(name = "dirty")
    @DynamicUpdate
    @OptimisticLocking(type = OptimisticLockType.DIRTY)
    static class Dirty extends Numbered {
        String text;
    }

    /** A row that the session has read. */
    record Read(String table, long id) {}

    private static final Map<Class<?>, String> TABLES = Map.of(Derived.class, "base", Special.class, "single");

    private final Session session;
    private final Random random;
    private final List<String> told;

    /** The row that the session has read last; null if it has read none. */
    private Read last;

    /** @param told receives what a change returns */
    FlushProgramGraph(Session session, Random random, List<String> told) {
        this.session = session;
        this.random = random;
        this.told = told;
    }

    Read last() {
        return last;
    }

    /**
     * Changes one entity, or reads.
     *
     * @param nested runs a transaction of its own with an id and a value
     */
    void step(BiConsumer<Long, Integer> nested) {
        long id = 1 + random.nextInt(IDS);
        int value = random.nextInt(100) - 5;
        switch (random.nextInt(20)) {
            case 0, 1, 2 -> owner(id, value);
            case 3 -> plain(id, value);
            case 4 -> base(id, value);
            case 5 -> single(id, value);
            case 6 -> {
                Counter counter = find(Counter.class, id, LockModeType.NONE);
                if (counter == null) {
                    counter = new Counter();
                    session.persist(counter);
                }
                counter.number = value;
            }
            case 7 -> {
                Badge badge = put(Badge.class, id, LockModeType.NONE, Badge::new, value % 5 == 0);
                badge.number = value;
                badge.text = value % 3 == 0 ? null : "b" + value;
            }
            case 8 -> put(Audited.class, id, LockModeType.NONE, Audited::new, false).number = value;
            case 9 -> put(Hidden.class, id, LockModeType.NONE, Hidden::new, value % 2 == 0).number = value;
            case 10, 11 -> {
                Cached cached = put(Cached.class, id, lockOfVersion(), Cached::new, value % 6 == 0);
                told.add("cached " + cached.version + ":" + cached.number);
                cached.number = value;
            }
            case 12 -> {
                Dirty dirty = put(Dirty.class, id, LockModeType.NONE, Dirty::new, value % 6 == 0);
                dirty.number = value;
                dirty.text = value % 3 == 0 ? null : "d" + value;
            }
            case 13 -> session.flush();
            case 14 ->
                told.add("read "
                        + session.createQuery("select count(p) from plain p where p.first > 10", Long.class)
                                .getSingleResult());
            case 15 ->
                told.add("native "
                        + session.createNativeMutationQuery("update plain set first = first + 1 where id = :id")
                                .setParameter("id", id)
                                .executeUpdate());
            case 16, 17 -> {
                session.flush();
                session.doWork(connection -> {
                    savepoints(
                            connection,
                            random,
                            told,
                            () -> {
                                plain(id, value);
                                session.flush();
                            },
                            session::clear);
                });
            }
            default -> nested.accept(id, value);
        }
    }

    /**
     * Sets savepoints inside each other. Rolls some of them back or releases them, also the outer ones.
     *
     * @param write changes something within the savepoints
     * @param undone called after a rollback to a savepoint
     */
    static void savepoints(Connection connection, Random random, List<String> told, Runnable write, Runnable undone)
            throws SQLException {
        List<Savepoint> set = new ArrayList<>();
        for (int i = 3 + random.nextInt(6); i > 0; i--) {
            int kind = random.nextInt(6);
            if (kind > 3 || set.isEmpty()) {
                set.add(connection.setSavepoint());
                continue;
            }
            int which = random.nextInt(set.size());
            switch (kind) {
                case 0 -> {
                    connection.rollback(set.get(which));
                    set.subList(which + 1, set.size()).clear();
                    undone.run();
                }
                case 1 -> {
                    connection.releaseSavepoint(set.get(which));
                    set.subList(which, set.size()).clear();
                }
                default -> write.run();
            }
            told.add("savepoint " + kind + " of " + set.size());
        }
    }

    private <T> T find(Class<T> type, long id, LockModeType lock) {
        T found = session.find(type, id, lock);
        if (found != null) {
            last = new Read(TABLES.getOrDefault(type, type.getSimpleName().toLowerCase(Locale.ROOT)), id);
        }
        return found;
    }

    /** The row of this id, made if there is none; what is there may be removed. */
    private <T extends Row> T put(Class<T> type, long id, LockModeType lock, Supplier<T> make, boolean removes) {
        T row = find(type, id, lock);
        if (row == null) {
            row = make.get();
            row.id = id;
            session.persist(row);
        } else if (removes) {
            session.remove(row);
        }
        return row;
    }

    private LockModeType lock() {
        return random.nextInt(3) == 0 ? LockModeType.PESSIMISTIC_WRITE : LockModeType.NONE;
    }

    /** The optimistic modes read or write the version between the flush and the COMMIT. */
    private LockModeType lockOfVersion() {
        return switch (random.nextInt(8)) {
            case 0, 1 -> LockModeType.PESSIMISTIC_WRITE;
            case 2 -> LockModeType.OPTIMISTIC;
            case 3 -> LockModeType.OPTIMISTIC_FORCE_INCREMENT;
            default -> LockModeType.NONE;
        };
    }

    private void owner(long id, int value) {
        Owner owner = put(Owner.class, id, lockOfVersion(), Owner::new, value % 9 == 0);
        if (!session.contains(owner)) {
            return;
        }
        // Two owners have one name now and then.
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

    private void plain(long id, int value) {
        Plain plain = put(Plain.class, id, lock(), Plain::new, false);
        plain.first = value;
        plain.second = value % 2 == 0 ? null : value;
        plain.third = new UUID(value, id);
        plain.fourth = LocalDate.ofEpochDay(value);
    }

    private void base(long id, int value) {
        Base base = put(Base.class, id, lockOfVersion(), value % 2 == 0 ? Base::new : Derived::new, value % 7 == 0);
        base.number = value;
        if (base instanceof Derived derived) {
            derived.text = "t" + value;
        }
    }

    private void single(long id, int value) {
        Single single =
                put(Single.class, id, lockOfVersion(), value % 2 == 0 ? Single::new : Special::new, value % 7 == 0);
        single.number = value;
        if (single instanceof Special special) {
            special.text = "t" + value;
        }
    }
}
