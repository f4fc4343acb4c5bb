package org.rowlock.spring.internal.jpa;

import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.hibernate.StaleStateException;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.metamodel.mapping.EntityVersionMapping;
import org.rowlock.jdbc.CommitFlush;
import org.rowlock.jdbc.CommitFlushException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.ConnectionProxy;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Makes lock-jdbc send Hibernate's last flush with the COMMIT. If the flush fails, the exception is the one that
 * Hibernate would throw.
 */
public final class CommitFlushes {
    private static final Log LOG = LogFactory.getLog(CommitFlushes.class);

    private static final boolean IS_PRESENT = SessionCaches.isPresent(
            "org.rowlock.jdbc.CommitFlush",
            "org.hibernate.engine.spi.SessionImplementor",
            "org.springframework.orm.jpa.JpaTransactionManager");

    private CommitFlushes() {}

    /**
     * From now on, lock-jdbc keeps the writes of Hibernate's flush until the COMMIT, but not the writes that a callback
     * of the application sends. Call this method only in {@code beforeCommit} or later.
     *
     * @return actions to run if the transaction is not committed
     */
    public static List<Runnable> open(TransactionManager manager) {
        return IS_PRESENT ? Present.open(manager) : List.of();
    }

    /** A nested class, because lock-jdbc may be missing. */
    private static final class Present {
        static List<Runnable> open(TransactionManager manager) {
            EntityManagerFactory units =
                    manager instanceof JpaTransactionManager jpa ? jpa.getEntityManagerFactory() : null;
            // Another JPA provider may check update counts differently.
            SessionImplementor session = units == null
                    ? null
                    : HibernateSession.session(TransactionSynchronizationManager.getResource(units));
            if (session == null) {
                return List.of();
            }
            try {
                SessionFactoryImplementor factory = session.getFactory();
                var connections = session.getJdbcCoordinator().getLogicalConnection();
                if (connections.isPhysicallyConnected()
                        && !isUnused(connections.getPhysicalConnection())
                        && CommitFlush.open(
                                connections.getPhysicalConnection(),
                                table -> isFlush(session) && areCounted(factory, table),
                                failed -> meant(factory, failed))) {
                    return versions(session);
                }
            } catch (SQLException | RuntimeException | LinkageError e) {
                LOG.debug("The last writes of the transaction are sent before its COMMIT", e);
            }
            return List.of();
        }

        /**
         * Returns actions that set the versions of the session's entities to their present values. Hibernate increments
         * the version of an entity when it believes that the entity is written. After a failure, the incremented
         * version may be that of another transaction. A merge of the entity would then overwrite the change of that
         * transaction.
         */
        private static List<Runnable> versions(SessionImplementor session) {
            List<Runnable> all = new ArrayList<>();
            for (Map.Entry<Object, EntityEntry> each :
                    session.getPersistenceContextInternal().reentrantSafeEntityEntries()) {
                EntityVersionMapping mapping = each.getValue().getPersister().getVersionMapping();
                Object version = each.getValue().getVersion();
                if (mapping != null && version != null) {
                    all.add(() -> mapping.getVersionAttribute().setValue(each.getKey(), version));
                }
            }
            return all;
        }

        /**
         * Whether Hibernate itself writes. A callback of the application may write through Spring or by a query, and
         * then uses the true count.
         */
        private static boolean isFlush(SessionImplementor session) {
            boolean isFlush = session.getPersistenceContextInternal().isFlushing();
            for (Object bound :
                    TransactionSynchronizationManager.getResourceMap().values()) {
                isFlush &= !(bound instanceof ConnectionHolder shared && shared.isOpen());
            }
            return isFlush;
        }

        /** Whether Spring has not borrowed the real connection yet, because no statement was sent. */
        private static boolean isUnused(Connection connection) {
            return connection instanceof ConnectionProxy
                    && connection.toString().startsWith("Lazy Connection proxy");
        }

        private static boolean areCounted(SessionFactoryImplementor factory, String table) {
            try {
                return HibernateEntities.of(factory, table).areCounted();
            } catch (RuntimeException | LinkageError e) {
                LOG.debug("The writes of " + table + " are sent before the COMMIT", e);
                return false;
            }
        }

        /** Returns the exception that Hibernate's own flush would have thrown for the failed write. */
        private static RuntimeException meant(SessionFactoryImplementor factory, CommitFlushException failed) {
            if (failed.isWrongCount()) {
                StaleStateException stale = new StaleStateException(failed.getMessage());
                stale.initCause(failed);
                return stale;
            }
            SQLException ofDriver = failed.getCause() instanceof SQLException cause ? cause : failed;
            return factory.getJdbcServices()
                    .getSqlExceptionHelper()
                    .convert(ofDriver, String.valueOf(failed.getMessage()));
        }
    }
}
