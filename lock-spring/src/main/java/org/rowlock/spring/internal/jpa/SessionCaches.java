package org.rowlock.spring.internal.jpa;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mybatis.spring.SqlSessionHolder;
import org.rowlock.LockKey;
import org.rowlock.internal.request.RowStatement;
import org.rowlock.internal.value.RequestParts;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The sessions of Hibernate and MyBatis that Spring has bound to the thread. The sessions may contain stale data that
 * was read before the lock. An instance belongs to one call.
 */
public final class SessionCaches {
    private static final boolean HIBERNATE =
            isPresent("org.hibernate.engine.spi.SessionImplementor", "org.springframework.orm.jpa.EntityManagerHolder");
    private static final boolean MYBATIS = isPresent("org.mybatis.spring.SqlSessionHolder");

    final String what;
    final DataSource dataSource;
    final Map<String, Set<List<String>>> rows;
    private final Function<String, List<String>> idColumns;
    private final Function<String, Set<List<String>>> spellings;
    private final Map<String, Set<List<String>>> stored = new HashMap<>();
    private final List<HibernateSession> sessions;

    /** Whether the rows are locked. */
    private boolean isLocked;

    /**
     * The last result of {@link #entityLock}. If this statement locked the row, the statement has also read the entity
     * again.
     */
    private @Nullable RowStatement entityLock;

    /**
     * Finds the sessions.
     *
     * @param what the description for messages
     * @param dataSource the database in which to lock
     * @param rows for each table, the ids to lock, without ids that were locked earlier; an empty set means all rows
     * @param idColumns returns the id columns of a table, in the order of the key; called only for composite ids
     * @param spellings returns the stored ids of a table's locked rows, if different texts can mean one id; called only
     *     after the lock
     */
    private SessionCaches(
            String what,
            DataSource dataSource,
            Map<String, Set<List<String>>> rows,
            Function<String, List<String>> idColumns,
            Function<String, Set<List<String>>> spellings) {
        this.what = what;
        this.dataSource = dataSource;
        this.rows = rows;
        this.idColumns = idColumns;
        this.spellings = spellings;
        this.sessions = HIBERNATE && !rows.isEmpty() ? find() : List.of();
    }

    private List<HibernateSession> find() {
        List<HibernateSession> found = new ArrayList<>(1);
        Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
        // The loop iterates over a copy, because unwrapping a session may add a resource to the map.
        for (Object factory : bound.keySet().toArray()) {
            HibernateSession session = HibernateSession.of(factory, bound.get(factory), this);
            if (session != null) {
                found.add(session);
            }
        }
        return found;
    }

    /** Whether a session of Hibernate on the thread has a connection, for example a session of open-in-view. */
    public static boolean isAnyConnected() {
        return HIBERNATE
                && Stream.of(TransactionSynchronizationManager.getResourceMap()
                                .values()
                                .toArray())
                        .anyMatch(bound -> HibernateSession.hasConnection(bound));
    }

    public static boolean isPresent(String... classes) {
        return Set.of(classes).stream()
                .allMatch(name -> ClassUtils.isPresent(name, SessionCaches.class.getClassLoader()));
    }

    /** Finds the sessions. All rows of the table count as locked. */
    public static SessionCaches ofTable(String what, DataSource dataSource, String table) {
        return new SessionCaches(what, dataSource, Map.of(table, Set.of()), any -> List.of(), any -> Set.of());
    }

    /** Finds the sessions. Keys that are not rows are ignored. */
    public static SessionCaches of(
            String what,
            DataSource dataSource,
            List<LockKey> keys,
            Function<String, List<String>> idColumns,
            Function<String, Set<List<String>>> spellings) {
        Map<String, Set<List<String>>> rows = new HashMap<>();
        keys.forEach(key -> {
            if (key instanceof LockKey.Row row) {
                rows.computeIfAbsent(row.table(), table -> new HashSet<>()).add(row.id());
            }
        });
        return new SessionCaches(what, dataSource, rows, idColumns, spellings);
    }

    /**
     * Returns the stored ids of a table's locked rows, if different texts can mean one id. Returns an empty set for any
     * other table, and before the lock.
     */
    Set<List<String>> stored(String table) {
        return isLocked ? stored.computeIfAbsent(table, spellings) : Set.of();
    }

    /** Returns the id columns of a table with a composite id; an empty list for any other table. */
    List<String> columns(String table) {
        boolean isComposite = rows.getOrDefault(table, Set.of()).stream().anyMatch(id -> id.size() > 1);
        return isComposite ? idColumns.apply(table) : List.of();
    }

    /**
     * Rejects the lock of a row whose entity was loaded without a lock and has changed. Writing the entity would
     * overwrite changes that other transactions have committed since then. Reading the entity again would lose the
     * entity's own change. This method also rejects a table that contains only a part of each entity.
     */
    public void refuse() {
        // The loop is deliberate: a method reference would load the class HibernateSession even if Hibernate is
        // missing.
        for (HibernateSession each : sessions) {
            each.refuse();
        }
    }

    /**
     * Returns JPA's lock for the rows of a request. Returns null if Rowlock's own statement must lock.
     *
     * @param connection the connection of the transaction
     */
    public @Nullable RowStatement entityLock(RequestParts request, Connection connection) {
        entityLock = sessions.size() == 1
                        && request.modes().isEmpty()
                        && request.keys().get(0) instanceof LockKey.Row row
                ? sessions.get(0).lockOf(row.table(), request, connection)
                : null;
        return entityLock;
    }

    /**
     * Rejects a table that contains only a part of each entity, because the row of the root table must be locked
     * instead. This method needs no session, because it gets the mapping through the transaction manager.
     */
    public static void refuseParts(String what, @Nullable TransactionManager manager, List<LockKey> keys) {
        if (HIBERNATE) {
            HibernateTables.refuseParts(what, manager, keys);
        }
    }

    /**
     * Returns the id columns of the entities in the order of the mapping; an empty list if no session can have loaded
     * an entity.
     */
    public List<String> idColumnsOfEntities() {
        for (HibernateSession each : sessions) {
            List<String> columns = each.idColumns();
            if (!columns.isEmpty()) {
                return columns;
            }
        }
        return List.of();
    }

    /**
     * Adds the key of a row, with the values of the given columns as the id. Adds nothing if the row lacks one of the
     * columns.
     */
    public static void addKey(ResultSet row, String table, List<String> columns, Set<LockKey> keys) {
        List<Object> id = new ArrayList<>();
        try {
            for (String column : columns) {
                id.add(Objects.requireNonNullElse(row.getObject(column), ""));
            }
            keys.add(LockKey.row(table, id));
        } catch (SQLException | IllegalArgumentException e) {
            // The row lacks an id column, for example because its table is in another schema than the mapped table.
        }
    }

    /**
     * Makes the sessions bypass the second-level cache until the transaction ends. Call this method before the lock,
     * because a lock of JPA reads the entity's eager collections too.
     *
     * @param atEnd receives the actions for the end of the transaction
     */
    public void passTheCacheBy(Consumer<Runnable> atEnd) {
        for (HibernateSession session : sessions) {
            session.passTheCacheBy(atEnd);
        }
    }

    /** Makes Hibernate's sessions read their entities again after the lock, and clears the caches of MyBatis. */
    public void renew() {
        isLocked = true;
        for (HibernateSession session : sessions) {
            session.renew((HibernateSession.EntityLock) entityLock);
        }
        if (MYBATIS && !rows.isEmpty()) {
            TransactionSynchronizationManager.getResourceMap().values().forEach(MyBatis::clear);
        }
    }

    /** A nested class, because MyBatis may be missing. */
    private static final class MyBatis {
        static void clear(Object holder) {
            if (holder instanceof SqlSessionHolder session) {
                session.getSqlSession().clearCache();
            }
        }
    }
}
