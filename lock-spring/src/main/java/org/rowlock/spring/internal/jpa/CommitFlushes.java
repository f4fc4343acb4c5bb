package org.rowlock.spring.internal.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.CommitFlush;
import org.rowlock.jdbc.CommitFlushException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.ConnectionHandle;
import org.springframework.orm.ObjectOptimisticLockingFailureException;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaDialect;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Makes the drop-in send Hibernate's last flush with the COMMIT. Failures of the flush are reported as Hibernate itself
 * would report them.
 */
public final class CommitFlushes {
    private static final Log LOG = LogFactory.getLog(CommitFlushes.class);

    private static final boolean IS_PRESENT = List.of(
                    "org.rowlock.jdbc.CommitFlush",
                    "org.hibernate.engine.spi.SessionImplementor",
                    "org.springframework.orm.jpa.JpaTransactionManager")
            .stream()
            .allMatch(name -> ClassUtils.isPresent(name, CommitFlushes.class.getClassLoader()));

    private CommitFlushes() {}

    /**
     * Makes the drop-in keep Hibernate's writes from now until the COMMIT of the transaction. A call is safe only from
     * {@code beforeCommit} on: from then until the COMMIT only Hibernate writes, and only Hibernate reads the update
     * counts.
     */
    public static void open(TransactionManager manager) {
        if (IS_PRESENT) {
            Present.open(manager);
        }
    }

    /** A nested class, because lock-jdbc may be missing. */
    private static final class Present {
        static void open(TransactionManager manager) {
            EntityManagerFactory units =
                    manager instanceof JpaTransactionManager jpa ? jpa.getEntityManagerFactory() : null;
            if (units == null
                    || !(TransactionSynchronizationManager.getResource(units) instanceof EntityManagerHolder bound)) {
                return;
            }
            try {
                SessionImplementor session = session(units, bound.getEntityManager());
                SessionFactoryImplementor factory = session.getFactory();
                var connections = session.getJdbcCoordinator().getLogicalConnection();
                if (connections.isPhysicallyConnected()) {
                    Connection connection = connections.getPhysicalConnection();
                    if (CommitFlush.open(connection, table -> isKept(factory, table))) {
                        translate((JpaTransactionManager) manager, factory);
                    }
                }
            } catch (SQLException | PersistenceException | LinkageError e) {
                LOG.debug("The last writes of the transaction are sent before its COMMIT", e);
            }
        }

        private static boolean isKept(SessionFactoryImplementor factory, String table) {
            try {
                return WriteCounts.areOne(factory, table);
            } catch (RuntimeException | LinkageError e) {
                LOG.debug("The writes of " + table + " are sent before the COMMIT", e);
                return false;
            }
        }

        /**
         * Returns the session of Hibernate. Another JPA provider may check update counts differently, so the factory
         * must belong to Hibernate. The factory is unwrapped first, because a failure to unwrap the entity manager
         * could mark the transaction for rollback.
         */
        private static SessionImplementor session(EntityManagerFactory units, EntityManager entities) {
            if (entities instanceof SessionImplementor session) {
                return session;
            }
            SessionFactoryImplementor unused = units.unwrap(SessionFactoryImplementor.class);
            return entities.unwrap(SessionImplementor.class);
        }

        /**
         * Makes a manager throw the same exceptions for a write that was sent with the COMMIT as for a write of an
         * earlier flush.
         */
        private static void translate(JpaTransactionManager manager, SessionFactoryImplementor factory) {
            JpaDialect own = manager.getJpaDialect();
            if (!(own instanceof CommitDialect)) {
                manager.setJpaDialect(new CommitDialect(own, factory));
            }
        }

        /**
         * Returns the exception that Hibernate's own flush would have thrown for the failure of a kept write. Returns
         * any other exception unchanged.
         */
        static RuntimeException meant(SessionFactoryImplementor factory, RuntimeException thrown) {
            for (Throwable each = thrown; each != null; each = each.getCause()) {
                if (each instanceof CommitFlushException failed) {
                    return failed.isWrongCount()
                            ? new ObjectOptimisticLockingFailureException(failed.getMessage(), failed)
                            : factory.getJdbcServices()
                                    .getSqlExceptionHelper()
                                    .convert(failed, String.valueOf(failed.getMessage()));
                }
            }
            return thrown;
        }
    }

    /**
     * The dialect of the manager, which also translates the exceptions of kept writes. The class extends
     * HibernateJpaDialect for callers that cast the dialect to that class.
     */
    private static final class CommitDialect extends HibernateJpaDialect {
        private static final long serialVersionUID = 1;

        private final transient JpaDialect own;
        private final transient SessionFactoryImplementor factory;

        CommitDialect(JpaDialect own, SessionFactoryImplementor factory) {
            this.own = own;
            this.factory = factory;
        }

        @Override
        public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException thrown) {
            RuntimeException meant = Present.meant(factory, thrown);
            return meant instanceof DataAccessException spring ? spring : own.translateExceptionIfPossible(meant);
        }

        @Override
        public @Nullable Object beginTransaction(EntityManager entities, TransactionDefinition definition)
                throws SQLException {
            return own.beginTransaction(entities, definition);
        }

        @Override
        public @Nullable Object prepareTransaction(EntityManager entities, boolean readOnly, @Nullable String name) {
            return own.prepareTransaction(entities, readOnly, name);
        }

        @Override
        public void cleanupTransaction(@Nullable Object transaction) {
            own.cleanupTransaction(transaction);
        }

        @Override
        public @Nullable ConnectionHandle getJdbcConnection(EntityManager entities, boolean readOnly)
                throws SQLException {
            return own.getJdbcConnection(entities, readOnly);
        }

        @Override
        public void releaseJdbcConnection(ConnectionHandle connection, EntityManager entities) throws SQLException {
            own.releaseJdbcConnection(connection, entities);
        }
    }
}
