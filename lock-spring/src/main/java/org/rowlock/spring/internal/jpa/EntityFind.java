package org.rowlock.spring.internal.jpa;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.hibernate.FlushMode;
import org.hibernate.LockMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.query.SelectionQuery;
import org.hibernate.resource.transaction.spi.TransactionCoordinatorBuilder;
import org.hibernate.type.BasicType;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.internal.value.RowKey;

/**
 * Describes how Hibernate reads entities by their ids and locks the same rows as Rowlock would. This is possible only
 * if Hibernate's statement selects from one table by the id alone, in one of PostgreSQL's modes. Rowlock calls {@code
 * get}, because Hibernate 7's {@code find} returns null for some errors of the server, and applies the persistence
 * unit's defaults for locks.
 *
 * @param modes Hibernate's lock mode for each of PostgreSQL's lock modes that Hibernate can send
 * @param most the largest number of rows that one statement of Hibernate may lock
 * @param unfit whether Rowlock's own statement must lock, because Hibernate would write an entity that it only reads
 */
record EntityFind(Class<?> entity, String idColumn, Map<RowLockMode, LockMode> modes, int most, AtomicBoolean unfit) {
    private static final Log LOG = LogFactory.getLog(EntityFind.class);

    /**
     * The form of a suitable statement. A formula, a join, a restriction, a filter or a discriminator changes the form.
     */
    private static final Pattern STATEMENT = Pattern.compile(
            "(?:/\\*[^*]*\\*/ *)?select [^()]* from (\\S+) (\\w+) where \\2\\.(\\S+)(?:=\\?| in \\(\\?,\\?\\) order by"
                    + " \\2\\.\\3) (for (?:no key |key )?(?:update|share))(?: of \\2)?");

    private static final int MOST = 64;

    /** Carries the text of a statement out of a session that must not send the statement. */
    private static final class Prepared extends RuntimeException {
        private static final long serialVersionUID = 1;

        Prepared(String sql) {
            super(sql, null, false, false);
        }
    }

    /**
     * Describes the find for the only entity of a table, or for the root of the only hierarchy in the table. Returns
     * null if Rowlock's own statement must lock.
     */
    static @Nullable EntityFind of(SessionFactoryImplementor factory, String table, List<EntityPersister> mapped) {
        List<EntityPersister> roots = mapped.stream()
                .map(entity -> entity.getRootEntityDescriptor().getEntityPersister())
                .distinct()
                .toList();
        if (roots.size() != 1 || !roots.get(0).isMutable() || isOfContainer(factory)) {
            return null;
        }
        EntityPersister root = roots.get(0);
        Object sample = HibernateEntities.sampleId(root);
        Class<?> entity = root.getMappedClass();
        if (sample == null || entity == null) {
            return null;
        }
        Map<RowLockMode, LockMode> modes = new EnumMap<>(RowLockMode.class);
        // Several rows must be locked in the order of Rowlock's own statement. For texts, ids that differ can be equal.
        boolean areOrdered = !(sample instanceof String);
        for (LockMode asked : List.of(LockMode.PESSIMISTIC_READ, LockMode.PESSIMISTIC_WRITE)) {
            RowLockMode mode = mode(factory, table, session -> session.get(entity, sample, asked));
            if (mode != null) {
                modes.put(mode, asked);
                areOrdered &= mode
                        == mode(
                                factory,
                                table,
                                session -> query(session, entity, List.of(sample, sample), asked)
                                        .getResultList());
            }
        }
        return new EntityFind(
                entity, HibernateEntities.idColumns(root).get(0), modes, areOrdered ? MOST : 1, new AtomicBoolean());
    }

    /** Returns the mode in which the only statement of a read locks rows; null if the statement is unsuitable. */
    private static @Nullable RowLockMode mode(
            SessionFactoryImplementor factory, String table, Function<Session, @Nullable Object> read) {
        try {
            Matcher found = STATEMENT.matcher(statement(factory, read));
            return found.matches() && HibernateEntities.normal(found.group(1)).equals(table)
                    ? RowLockMode.valueOf(
                            found.group(4).toUpperCase(Locale.ROOT).replace(' ', '_'))
                    : null;
        } catch (RuntimeException | LinkageError e) {
            // The session may need a tenant or an interceptor, this release of Hibernate may lack a method, or strict
            // JPA compliance may refuse the query. In these cases Rowlock's own statement locks the rows.
            LOG.debug("The lock of " + table + " is Rowlock's own statement", e);
            return null;
        }
    }

    private static SelectionQuery<?> query(Session session, Class<?> entity, List<Object> ids, LockMode mode) {
        // Hibernate would translate a query with a list as its parameter at each call.
        String parameters =
                IntStream.rangeClosed(1, ids.size()).mapToObj(n -> "?" + n).collect(Collectors.joining(", "));
        SelectionQuery<?> query = session.createSelectionQuery(
                "from " + entity.getName() + " e where id(e) in (" + parameters + ") order by id(e)", entity);
        for (int i = 0; i < ids.size(); i++) {
            query.setParameter(i + 1, ids.get(i));
        }
        return query.setHibernateLockMode(mode)
                .setHibernateFlushMode(FlushMode.MANUAL)
                .setTimeout(0)
                .setHint("jakarta.persistence.lock.timeout", -1);
    }

    /** Locks the rows, reads their entities, and returns the keys of absent rows. */
    List<LockKey> lock(Session session, Map<Object, LockKey> ids, LockMode mode) {
        if (ids.size() == 1) {
            Object id = ids.keySet().iterator().next();
            return session.get(entity, id, mode) == null ? List.copyOf(ids.values()) : List.of();
        }
        Map<Object, LockKey> absent = new LinkedHashMap<>(ids);
        query(session, entity, List.copyOf(ids.keySet()), mode)
                .getResultList()
                .forEach(found -> absent.remove(session.getIdentifier(found)));
        return List.copyOf(absent.values());
    }

    /** Returns the id of each key; an empty map if one statement of Hibernate cannot lock the rows of all keys. */
    Map<Object, LockKey> ids(EntityPersister root, String table, List<LockKey> keys) {
        BasicType<?> type = (BasicType<?>) root.getIdentifierType();
        Map<Object, LockKey> ids = new LinkedHashMap<>();
        for (LockKey key : keys.size() <= most ? keys : List.<LockKey>of()) {
            if (key instanceof LockKey.Row row
                    && row.table().equals(table)
                    && RowKey.givenId(row).size() == 1) {
                ids.put(
                        type.getJavaTypeDescriptor()
                                .fromString(RowKey.givenId(row).get(0)),
                        key);
            }
        }
        return ids.size() == keys.size() ? ids : Map.of();
    }

    /** Whether JTA manages the transactions. A separate session would then begin a JTA transaction. */
    private static boolean isOfContainer(SessionFactoryImplementor factory) {
        TransactionCoordinatorBuilder transactions =
                factory.getServiceRegistry().getService(TransactionCoordinatorBuilder.class);
        return transactions == null || transactions.isJta();
    }

    /**
     * Returns the statement that Hibernate would send, taken from a session without a database. Returns an empty string
     * if Hibernate would not send a statement.
     */
    private static String statement(SessionFactoryImplementor factory, Function<Session, @Nullable Object> read) {
        Connection none = (Connection) Proxy.newProxyInstance(
                EntityFind.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("prepare")) {
                        throw new Prepared(String.valueOf(arguments[0]));
                    }
                    return method.getReturnType() == boolean.class ? false : null;
                });
        // In SessionFactoryImplementor, the return type of withOptions differs between Hibernate 6 and 7. In
        // SessionFactory, both versions have one return type.
        SessionFactory sessions = factory;
        try (Session session = sessions.withOptions().connection(none).openSession()) {
            session.beginTransaction();
            try {
                Object unused = read.apply(session);
                return "";
            } finally {
                session.getTransaction().rollback();
            }
        } catch (RuntimeException e) {
            for (Throwable each = e; each != null; each = each.getCause()) {
                if (each instanceof Prepared prepared) {
                    return String.valueOf(prepared.getMessage());
                }
            }
            throw e;
        }
    }
}
