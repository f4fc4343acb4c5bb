package org.rowlock.spring.internal.jpa;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.hibernate.LockMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.resource.transaction.spi.TransactionCoordinatorBuilder;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;

/**
 * Describes how Hibernate reads an entity by its id and locks the same row as Rowlock would. This is possible only if
 * Hibernate's statement selects from one table by the id alone, in one of PostgreSQL's modes. Rowlock calls {@code
 * get}, because Hibernate 7's {@code find} returns null for some errors of the server, and applies the persistence
 * unit's defaults for locks.
 *
 * @param modes Hibernate's lock mode for each of PostgreSQL's lock modes that Hibernate can send
 * @param unfit whether Rowlock's own statement must lock, because Hibernate would write an entity that it only reads
 */
record EntityFind(Class<?> entity, String idColumn, Map<RowLockMode, LockMode> modes, AtomicBoolean unfit) {
    private static final Log LOG = LogFactory.getLog(EntityFind.class);

    /**
     * The form of a suitable statement. A formula, a join, a restriction, a filter or a discriminator changes the form.
     */
    private static final Pattern STATEMENT = Pattern.compile("(?:/\\*[^*]*\\*/ *)?select [^()]* from (\\S+) (\\w+)"
            + " where \\2\\.(\\S+)=\\? (for [a-z ]+?)(?: of \\2)?");

    private static final Map<String, RowLockMode> WORDS = Map.of(
            "for update", RowLockMode.FOR_UPDATE,
            "for no key update", RowLockMode.FOR_NO_KEY_UPDATE,
            "for share", RowLockMode.FOR_SHARE,
            "for key share", RowLockMode.FOR_KEY_SHARE);

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
        try {
            return probe(factory, table, mapped);
        } catch (RuntimeException | LinkageError e) {
            // The session may need a tenant or an interceptor, or this release of Hibernate may lack a method. In these
            // cases Rowlock's own statement locks the row.
            LOG.debug("The lock of " + table + " is Rowlock's own statement", e);
            return null;
        }
    }

    private static @Nullable EntityFind probe(
            SessionFactoryImplementor factory, String table, List<EntityPersister> mapped) {
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
        Map<RowLockMode, LockMode> modes = new EnumMap<>(RowLockMode.class);
        for (LockMode asked : List.of(LockMode.PESSIMISTIC_READ, LockMode.PESSIMISTIC_WRITE)) {
            String sql = sample == null || entity == null ? "" : statement(factory, entity, sample, asked);
            Matcher found = STATEMENT.matcher(sql);
            RowLockMode mode = found.matches() ? WORDS.get(found.group(4)) : null;
            if (mode != null && HibernateEntities.normal(found.group(1)).equals(table)) {
                modes.put(mode, asked);
            }
        }
        List<String> id = HibernateEntities.idColumns(root);
        return modes.isEmpty() || id.size() != 1 ? null : new EntityFind(entity, id.get(0), modes, new AtomicBoolean());
    }

    /** Whether JTA manages the transactions. A separate session would then begin a JTA transaction. */
    static boolean isOfContainer(SessionFactoryImplementor factory) {
        TransactionCoordinatorBuilder transactions =
                factory.getServiceRegistry().getService(TransactionCoordinatorBuilder.class);
        return transactions == null || transactions.isJta();
    }

    /**
     * Returns the statement that Hibernate would send, taken from a session without a database. Returns an empty string
     * if Hibernate would not send a statement.
     */
    private static String statement(SessionFactoryImplementor factory, Class<?> entity, Object id, LockMode mode) {
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
                Object unused = session.get(entity, id, mode);
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
