package org.rowlock.spring.internal.jpa;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.mybatis.spring.SqlSessionHolder;
import org.rowlock.LockKey;
import org.springframework.beans.BeanUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * What the sessions of the running transaction have read before it locks: behind the lock that is no longer what is
 * there. The sessions are those that Spring has bound to the thread, of Hibernate and of MyBatis.
 *
 * @param what for messages
 * @param dataSource where is locked
 * @param rows the ids of each table that are locked, and were not held before; none for all rows of a table
 */
public record SessionCaches(String what, DataSource dataSource, Map<String, Set<List<String>>> rows) {
    private static final boolean HIBERNATE =
            isPresent("org.hibernate.engine.spi.SessionImplementor", "org.springframework.orm.jpa.EntityManagerHolder");
    private static final boolean MYBATIS = isPresent("org.mybatis.spring.SqlSessionHolder");

    private static boolean isPresent(String... classes) {
        return Set.of(classes).stream()
                .allMatch(name -> ClassUtils.isPresent(name, SessionCaches.class.getClassLoader()));
    }

    /** Those of keys. */
    public static SessionCaches of(String what, DataSource dataSource, Set<LockKey> keys) {
        Map<String, Set<List<String>>> rows = new HashMap<>();
        keys.forEach(key -> {
            if (key instanceof LockKey.Row row) {
                rows.computeIfAbsent(row.table(), table -> new HashSet<>()).add(sorted(row.id()));
            }
        });
        return new SessionCaches(what, dataSource, rows);
    }

    /** The parts of an id in an order that does not depend on the mapping. */
    static List<String> sorted(List<String> parts) {
        return parts.size() == 1 ? parts : parts.stream().sorted().toList();
    }

    /**
     * Refuses to lock a row whose entity is loaded and changed: it was read without the lock, so writing it loses what
     * was committed meanwhile, and reading it again loses the change. And a row of a table that has parts of rows.
     */
    public void refuse() {
        if (HIBERNATE && !rows.isEmpty()) {
            each((factory, holder) ->
                    HibernateSession.of(factory, holder, dataSource).ifPresent(session -> session.refuse(what, rows)));
        }
    }

    /**
     * Has what is read from now on read from the database.
     *
     * @param atEnd is given what is to be done when the transaction has ended
     */
    public void renew(Consumer<Runnable> atEnd) {
        if (rows.isEmpty()) {
            return;
        }
        each((key, holder) -> {
            if (HIBERNATE) {
                HibernateSession.of(key, holder, dataSource).ifPresent(session -> session.renew(rows, atEnd));
            }
            if (MYBATIS) {
                MyBatis.clear(holder);
            }
        });
    }

    /** A copy, as reading may bind others. */
    private static void each(BiConsumer<Object, Object> resource) {
        Map.copyOf(TransactionSynchronizationManager.getResourceMap()).forEach(resource);
    }

    /** Apart, as the class need not be there. */
    private static final class MyBatis {
        static void clear(Object holder) {
            if (holder instanceof SqlSessionHolder session) {
                session.getSqlSession().clearCache();
            }
        }
    }

    /** The values of an id, or the fields of an object that is one. */
    static List<Object> parts(Object id) {
        if (BeanUtils.isSimpleValueType(id.getClass())
                || id.getClass().getName().startsWith("java.")) {
            return List.of(id);
        }
        List<Object> parts = new ArrayList<>();
        ReflectionUtils.doWithFields(
                id.getClass(),
                field -> {
                    ReflectionUtils.makeAccessible(field);
                    Object part = field.get(id);
                    parts.addAll(part == null ? List.of() : parts(part));
                },
                field -> !Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers()));
        return parts;
    }
}
