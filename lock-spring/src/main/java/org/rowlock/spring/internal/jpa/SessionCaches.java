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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mybatis.spring.SqlSessionHolder;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.internal.request.RowStatement;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The data that sessions of the running transaction read before it locks, which may be stale under the lock. They are
 * the sessions of Hibernate and MyBatis that Spring has bound to the thread. An instance belongs to one call.
 */
public final class SessionCaches {
    private static final boolean HIBERNATE =
            isPresent("org.hibernate.engine.spi.SessionImplementor", "org.springframework.orm.jpa.EntityManagerHolder");
    private static final boolean MYBATIS = isPresent("org.mybatis.spring.SqlSessionHolder");

    private final String what;
    private final DataSource dataSource;
    private final Map<String, Set<List<String>>> rows;
    private final Function<String, List<String>> idColumns;
    private final List<HibernateSession> sessions;

    /** The lock that {@link #entityLock} has returned, and which reads the entity of the only row if it is called. */
    private @Nullable RowStatement entityLock;

    /**
     * Finds the sessions.
     *
     * @param what the caller for messages
     * @param dataSource the database in which to lock
     * @param rows the ids of each table that are locked, and were not held before; empty for all rows of a table
     * @param idColumns the id columns of a table, in the order of the ids; called only for ids of several
     */
    public SessionCaches(
            String what,
            DataSource dataSource,
            Map<String, Set<List<String>>> rows,
            Function<String, List<String>> idColumns) {
        this.what = what;
        this.dataSource = dataSource;
        this.rows = rows;
        this.idColumns = idColumns;
        this.sessions = HIBERNATE && !rows.isEmpty() ? find() : List.of();
    }

    private List<HibernateSession> find() {
        List<HibernateSession> found = new ArrayList<>(1);
        // The loop iterates over a copy, because unwrapping a session may bind a resource.
        for (Map.Entry<Object, Object> bound : new ArrayList<>(
                TransactionSynchronizationManager.getResourceMap().entrySet())) {
            HibernateSession session = HibernateSession.of(bound.getKey(), bound.getValue(), this);
            if (session != null) {
                found.add(session);
            }
        }
        return found;
    }

    String what() {
        return what;
    }

    DataSource dataSource() {
        return dataSource;
    }

    Map<String, Set<List<String>>> rows() {
        return rows;
    }

    private static boolean isPresent(String... classes) {
        return Set.of(classes).stream()
                .allMatch(name -> ClassUtils.isPresent(name, SessionCaches.class.getClassLoader()));
    }

    /** Creates the caches for keys. */
    public static SessionCaches of(
            String what, DataSource dataSource, Set<LockKey> keys, Function<String, List<String>> idColumns) {
        Map<String, Set<List<String>>> rows = new HashMap<>();
        keys.forEach(key -> {
            if (key instanceof LockKey.Row row) {
                rows.computeIfAbsent(row.table(), table -> new HashSet<>()).add(row.id());
            }
        });
        return new SessionCaches(what, dataSource, rows, idColumns);
    }

    /** Returns the columns of a table whose ids have several; empty for any other. */
    List<String> columns(String table) {
        for (List<String> id : rows.getOrDefault(table, Set.of())) {
            if (id.size() > 1) {
                return idColumns.apply(table);
            }
        }
        return List.of();
    }

    /**
     * Rejects the lock of a row whose entity is loaded and changed. It was read without the lock, so writing it loses
     * what was committed meanwhile, and reading it again loses the change. It also rejects a row of a table that has
     * only parts of rows.
     */
    public void refuse() {
        // A method reference would load the class, and Hibernate may be missing.
        for (HibernateSession each : sessions) {
            each.refuse();
        }
    }

    /**
     * Returns the lock of the only row by JPA, with its entity; null if Rowlock's own statement locks.
     *
     * @param connection the connection of the transaction
     */
    public @Nullable RowStatement entityLock(LockRequest request, Connection connection) {
        entityLock = sessions.size() == 1
                        && request.keys().size() == 1
                        && request.keys().get(0) instanceof LockKey.Row row
                ? sessions.get(0).lockOf(row, request.mode(), connection)
                : null;
        return entityLock;
    }

    /** Rejects tables that have parts of rows before there is a session, by what the manager of sessions knows. */
    public static void refuseParts(String what, @Nullable TransactionManager manager, List<LockKey> keys) {
        if (HIBERNATE) {
            HibernateTables.refuseParts(what, manager, keys);
        }
    }

    /** Returns the id columns of the tables, in the order of their mapping, if a session may have loaded some rows. */
    public List<String> idColumnsOfEntities() {
        for (HibernateSession each : sessions) {
            List<String> columns = each.idColumns();
            if (!columns.isEmpty()) {
                return columns;
            }
        }
        return List.of();
    }

    /** Adds the key of a row, with its id in the order of these columns; adds nothing if the row lacks one of them. */
    public static void addKey(ResultSet row, String table, List<String> columns, Set<LockKey> keys) {
        List<Object> id = new ArrayList<>();
        try {
            for (String column : columns) {
                id.add(Objects.requireNonNullElse(row.getObject(column), ""));
            }
            keys.add(LockKey.row(table, id));
        } catch (SQLException | IllegalArgumentException e) {
            // The columns are not known: the table may be another of the same name, in another schema.
        }
    }

    /**
     * Makes sessions read from the database from now on.
     *
     * @param atEnd receives the actions for the end of the transaction
     */
    public void renew(Consumer<Runnable> atEnd) {
        for (HibernateSession session : sessions) {
            session.renew((EntityLock) entityLock, atEnd);
        }
        if (MYBATIS && !rows.isEmpty()) {
            TransactionSynchronizationManager.getResourceMap().values().forEach(MyBatis::clear);
        }
    }

    /** A class of its own, because MyBatis may be missing. */
    private static final class MyBatis {
        static void clear(Object holder) {
            if (holder instanceof SqlSessionHolder session) {
                session.getSqlSession().clearCache();
            }
        }
    }
}
