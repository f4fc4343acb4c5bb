package org.rowlock.spring.internal.jpa;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.hibernate.StaleObjectStateException;
import org.hibernate.StaleStateException;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.Write;
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
    public static List<? extends Runnable> open(TransactionManager manager) {
        return IS_PRESENT ? Present.open(manager) : List.of();
    }

    /** A nested class, because lock-jdbc may be missing. */
    private static final class Present {
        static List<? extends Runnable> open(TransactionManager manager) {
            var units = manager instanceof JpaTransactionManager jpa ? jpa.getEntityManagerFactory() : null;
            // Another JPA provider may check update counts differently.
            SessionImplementor session = units == null
                    ? null
                    : HibernateSession.session(TransactionSynchronizationManager.getResource(units));
            if (session == null) {
                return List.of();
            }
            List<Written> written = new ArrayList<>();
            try {
                var connections = session.getJdbcCoordinator().getLogicalConnection();
                Connection own = connections.isPhysicallyConnected() ? connections.getPhysicalConnection() : null;
                if (own == null || isUnused(own) || !own.isWrapperFor(CommitFlush.class)) {
                    return List.of();
                }
                if (own.unwrap(CommitFlush.class)
                        .keepUntilCommit(
                                table -> isFlush(session) && areCounted(session.getFactory(), table),
                                failed -> meant(session, written, failed))) {
                    for (var each : session.getPersistenceContextInternal().reentrantSafeEntityEntries()) {
                        written.add(new Written(
                                each.getKey(), each.getValue(), each.getValue().getVersion()));
                    }
                }
            } catch (SQLException | RuntimeException | LinkageError e) {
                LOG.debug("The last writes of the transaction are sent before its COMMIT", e);
            }
            return written;
        }

        /**
         * Whether Hibernate itself writes. A callback of the application may write through Spring or by a query, and
         * then uses the true count.
         */
        private static boolean isFlush(SessionImplementor session) {
            return session.getPersistenceContextInternal().isFlushing()
                    && TransactionSynchronizationManager.getResourceMap().values().stream()
                            .noneMatch(bound -> bound instanceof ConnectionHolder shared && shared.isOpen());
        }

        private static boolean areCounted(SessionFactoryImplementor factory, String table) {
            try {
                return HibernateEntities.of(factory, table).areCounted();
            } catch (RuntimeException | LinkageError e) {
                LOG.debug("The writes of " + table + " are sent before the COMMIT", e);
                return false;
            }
        }

        /** Whether Spring has not borrowed the real connection yet, because no statement was sent. */
        private static boolean isUnused(Connection connection) {
            return connection instanceof ConnectionProxy
                    && connection.toString().startsWith("Lazy Connection proxy");
        }

        /** Returns the exception that Hibernate's own flush would have thrown for the failed write. */
        private static RuntimeException meant(
                SessionImplementor session, List<Written> written, CommitFlushException failed) {
            if (failed.isWrongCount()) {
                StaleStateException stale = new StaleStateException(failed.getMessage());
                for (Written each : written) {
                    if (each.isOf(failed, session)) {
                        stale = new StaleObjectStateException(each.entry.getEntityName(), each.entry.getId());
                        if (session.getFactory().getStatistics().isStatisticsEnabled()) {
                            session.getFactory().getStatistics().optimisticFailure(each.entry.getEntityName());
                        }
                    }
                }
                stale.addSuppressed(failed); // So the root cause is Hibernate's exception, as without Rowlock.
                return stale;
            }
            SQLException ofDriver = failed.getCause() instanceof SQLException cause ? cause : failed;
            return session.getJdbcServices()
                    .getSqlExceptionHelper()
                    .convert(ofDriver, String.valueOf(failed.getMessage()));
        }

        /**
         * An entity of the session. {@link #run} restores the version that the entity had before the flush. Hibernate
         * increments a version when it believes that the entity is written. If the write fails, the incremented version
         * may be that of another transaction, whose change a merge of the entity would then overwrite.
         */
        private record Written(
                Object entity, EntityEntry entry, @Nullable Object version) implements Runnable {
            /** Whether the failed write is that of this entity. The conditions begin with the id and the version. */
            boolean isOf(CommitFlushException failed, SessionImplementor session) {
                String message = String.valueOf(failed.getMessage());
                Write own = new Write(message).again((Write.Bound) (to, at) -> {
                    entry.getPersister().getIdentifierType().nullSafeSet(to, entry.getId(), at, session);
                    if (version != null) {
                        entry.getPersister().getVersionType().nullSafeSet(to, version, at, session);
                    }
                });
                // In a joined hierarchy, only the root table has the version.
                int conditions = message.replaceAll("(?s).* where |[^?]", "").length();
                try {
                    Object[] ids = own.values(1).stream().limit(conditions).toArray();
                    int others = failed.values().size() - conditions;
                    var found = failed.values().stream().skip(others).limit(ids.length);
                    return Arrays.deepEquals(found.toArray(), ids)
                            && HibernateEntities.spaces(entry.getPersister())
                                    .anyMatch(table -> message.contains(": update " + table + " set ")
                                            || message.contains(": delete from " + table + " where "));
                } catch (SQLException | RuntimeException e) {
                    return false; // A type of the application may need more of the statement than its setters.
                }
            }

            @Override
            public void run() {
                var mapping = entry.getPersister().getVersionMapping();
                if (mapping != null && version != null) {
                    mapping.getVersionAttribute().setValue(entity, version);
                }
            }
        }
    }
}
