package org.rowlock.spring.internal.jpa;

import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.hibernate.StaleStateException;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.rowlock.jdbc.CommitFlush;
import org.rowlock.jdbc.CommitFlushException;
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
     * From now on, lock-jdbc keeps Hibernate's writes until the COMMIT. Call this method only in {@code beforeCommit}
     * or later, when only Hibernate sends writes and checks their counts.
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
            // Another JPA provider may check update counts differently.
            SessionImplementor session = units == null
                    ? null
                    : HibernateSession.session(TransactionSynchronizationManager.getResource(units));
            if (session == null) {
                return;
            }
            try {
                SessionFactoryImplementor factory = session.getFactory();
                var connections = session.getJdbcCoordinator().getLogicalConnection();
                if (connections.isPhysicallyConnected() && !isUnused(connections.getPhysicalConnection())) {
                    boolean unused = CommitFlush.open(
                            connections.getPhysicalConnection(),
                            table -> areCounted(factory, table),
                            failed -> meant(factory, failed));
                }
            } catch (SQLException | RuntimeException | LinkageError e) {
                LOG.debug("The last writes of the transaction are sent before its COMMIT", e);
            }
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
            return factory.getJdbcServices()
                    .getSqlExceptionHelper()
                    .convert(failed, String.valueOf(failed.getMessage()));
        }
    }
}
