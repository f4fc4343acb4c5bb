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
import org.rowlock.LockRequest;
import org.rowlock.internal.request.RowStatement;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The data that sessions of the running transaction read before it locks, which may be stale under the lock. They are
 * the sessions of Hibernate and MyBatis that Spring has bound to the thread.
 *
 * @param what the caller for messages
 * @param dataSource the database in which to lock
 * @param rows the ids of each table that are locked, and were not held before; empty for all rows of a table
 * @param idColumns the id columns of a table, in the order of the ids; called only for ids of several
 */
public record SessionCaches(
        String what,
        DataSource dataSource,
        Map<String, Set<List<String>>> rows,
        Function<String, List<String>> idColumns) {
    private static final boolean HIBERNATE =
            isPresent("org.hibernate.engine.spi.SessionImplementor", "org.springframework.orm.jpa.EntityManagerHolder");
    private static final boolean MYBATIS = isPresent("org.mybatis.spring.SqlSessionHolder");

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
        return rows.getOrDefault(table, Set.of()).stream().anyMatch(id -> id.size() > 1)
                ? idColumns.apply(table)
                : List.of();
    }

    /**
     * Rejects the lock of a row whose entity is loaded and changed. It was read without the lock, so writing it loses
     * what was committed meanwhile, and reading it again loses the change. It also rejects a row of a table that has
     * only parts of rows.
     */
    public void refuse() {
        if (HIBERNATE) {
            sessions().forEach(HibernateSession::refuse);
        }
    }

    /**
     * Returns the lock of the only row by JPA, with its entity; null if Rowlock's own statement locks.
     *
     * @param connection the connection of the transaction
     */
    public @Nullable RowStatement entityLock(LockRequest request, Connection connection) {
        if (!HIBERNATE
                || request.keys().size() != 1
                || !(request.keys().get(0) instanceof LockKey.Row row)
                || rows.isEmpty()) {
            return null;
        }
        List<HibernateSession> all = sessions().toList();
        return all.size() == 1 ? all.get(0).lockOf(row, request.mode(), connection) : null;
    }

    /** Rejects tables that have parts of rows before there is a session, by what the manager of sessions knows. */
    public static void refuseParts(String what, @Nullable TransactionManager manager, List<LockKey> keys) {
        if (HIBERNATE) {
            HibernateTables.refuseParts(what, manager, keys);
        }
    }

    /** Returns the id columns of the tables, in the order of their mapping, if a session may have loaded some rows. */
    public List<String> idColumnsOfEntities() {
        Stream<List<String>> columns = HIBERNATE ? sessions().map(HibernateSession::idColumns) : Stream.empty();
        return columns.filter(each -> !each.isEmpty()).findFirst().orElse(List.of());
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
     * @param lock has read the entity of the only row if it was called; null if there was none
     * @param atEnd receives the actions for the end of the transaction
     */
    public void renew(@Nullable RowStatement lock, Consumer<Runnable> atEnd) {
        if (HIBERNATE) {
            sessions().forEach(session -> session.renew((EntityLock) lock, atEnd));
        }
        if (MYBATIS && !rows.isEmpty()) {
            TransactionSynchronizationManager.getResourceMap().values().forEach(MyBatis::clear);
        }
    }

    /** Returns the sessions of Hibernate, if it is present. It iterates over a copy, because a read may bind others. */
    private Stream<HibernateSession> sessions() {
        return rows.isEmpty()
                ? Stream.empty()
                : Map.copyOf(TransactionSynchronizationManager.getResourceMap()).entrySet().stream()
                        .flatMap(bound -> HibernateSession.of(bound.getKey(), bound.getValue(), this).stream());
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
