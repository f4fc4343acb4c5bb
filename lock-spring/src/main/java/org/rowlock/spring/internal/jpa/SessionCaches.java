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
import org.rowlock.LockRequest.RowStatement;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * What the sessions of the running transaction have read before it locks: behind the lock that is no longer what is
 * there. The sessions are those that Spring has bound to the thread, of Hibernate and of MyBatis.
 *
 * @param what for messages
 * @param dataSource where is locked
 * @param rows the ids of each table that are locked, and were not held before; none for all rows of a table
 * @param idColumns those of a table, in the order of the ids; called only for ids of several
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

    /** Those of keys. */
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

    /** Of a table whose ids have several; none for any other. */
    List<String> columns(String table) {
        return rows.getOrDefault(table, Set.of()).stream().anyMatch(id -> id.size() > 1)
                ? idColumns.apply(table)
                : List.of();
    }

    /**
     * Refuses to lock a row whose entity is loaded and changed: it was read without the lock, so writing it loses what
     * was committed meanwhile, and reading it again loses the change. And a row of a table that has parts of rows.
     */
    public void refuse() {
        if (HIBERNATE) {
            sessions().forEach(HibernateSession::refuse);
        }
    }

    /**
     * The lock of the only row by JPA, with its entity; null where Rowlock's own statement locks.
     *
     * @param connection that of the transaction
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

    /** Refuses tables that have parts of rows where there is no session yet, by what the manager of sessions knows. */
    public static void refuseParts(String what, @Nullable TransactionManager manager, List<LockKey> keys) {
        if (HIBERNATE) {
            HibernateTables.refuseParts(what, manager, keys);
        }
    }

    /** The id columns of the tables, in the order of their mapping, where a session may have loaded some rows. */
    public List<String> idColumnsOfEntities() {
        Stream<List<String>> columns = HIBERNATE ? sessions().map(HibernateSession::idColumns) : Stream.empty();
        return columns.filter(each -> !each.isEmpty()).findFirst().orElse(List.of());
    }

    /** Adds the key of a row, with its id in the order of these columns; none if the row has none such. */
    public static void addKey(ResultSet row, String table, List<String> columns, Set<LockKey> keys) {
        List<Object> id = new ArrayList<>();
        try {
            for (String column : columns) {
                id.add(Objects.requireNonNullElse(row.getObject(column), ""));
            }
            keys.add(LockKey.row(table, id));
        } catch (SQLException | IllegalArgumentException e) {
            // It is one of those that are not known: the table may be another of the name, in another schema.
        }
    }

    /**
     * Has what is read from now on read from the database.
     *
     * @param lock has read the entity of the only row if it was called; null if there was none
     * @param atEnd is given what is to be done when the transaction has ended
     */
    public void renew(@Nullable RowStatement lock, Consumer<Runnable> atEnd) {
        if (HIBERNATE) {
            sessions().forEach(session -> session.renew((EntityLock) lock, atEnd));
        }
        if (MYBATIS && !rows.isEmpty()) {
            TransactionSynchronizationManager.getResourceMap().values().forEach(MyBatis::clear);
        }
    }

    /** Only where there is Hibernate. Of a copy, as reading may bind others. */
    private Stream<HibernateSession> sessions() {
        return rows.isEmpty()
                ? Stream.empty()
                : Map.copyOf(TransactionSynchronizationManager.getResourceMap()).entrySet().stream()
                        .flatMap(bound -> HibernateSession.of(bound.getKey(), bound.getValue(), this).stream());
    }

    /** Apart, as the class need not be there. */
    private static final class MyBatis {
        static void clear(Object holder) {
            if (holder instanceof SqlSessionHolder session) {
                session.getSqlSession().clearCache();
            }
        }
    }
}
