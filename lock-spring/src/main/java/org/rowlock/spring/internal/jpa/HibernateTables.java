package org.rowlock.spring.internal.jpa;

import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.UnionSubclassEntityPersister;
import org.hibernate.resource.jdbc.spi.PhysicalConnectionHandlingMode;
import org.hibernate.type.ComponentType;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * Reads the name of an entity's table from Hibernate, because Hibernate's naming strategy may have changed that name.
 */
public final class HibernateTables {
    private static final PhysicalConnectionHandlingMode RELEASES_EARLY =
            PhysicalConnectionHandlingMode.DELAYED_ACQUISITION_AND_RELEASE_AFTER_STATEMENT;

    private HibernateTables() {}

    public static Optional<String> tableOf(String where, BeanFactory beans, Class<?> entity) {
        return beans.getBeanProvider(EntityManagerFactory.class).stream()
                .filter(factory -> factory.getMetamodel().getEntities().stream()
                        .anyMatch(known -> entity.equals(known.getJavaType())))
                .map(factory -> tableOf(where, factory, entity))
                .findFirst();
    }

    private static String tableOf(String where, EntityManagerFactory factory, Class<?> entity) {
        SessionFactoryImplementor sessions = factory.unwrap(SessionFactoryImplementor.class);
        var persister = (AbstractEntityPersister) sessions.getMappingMetamodel().getEntityDescriptor(entity);
        if (persister instanceof UnionSubclassEntityPersister
                && persister.getSubclassEntityNames().size() > 1) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " names the entity " + entity.getName()
                            + ", whose rows are in several tables," + " one for each of its classes (TABLE_PER_CLASS).",
                    "Name an entity that has no subclasses, or give the table in which all callers lock.");
        }
        // In a joined hierarchy, the root table contains a row for every entity of the hierarchy.
        return persister.getRootTableName();
    }

    /**
     * Returns the other table in which the rows of the given table must be locked. Returns an empty string if the rows
     * are locked in the given table. The result is also empty if there are several DataSources, because the DataSource
     * is known only at a call.
     */
    public static String rootOf(BeanFactory beans, String table) {
        if (beans.getBeanProvider(DataSource.class).stream().count() != 1) {
            return "";
        }
        return beans.getBeanProvider(EntityManagerFactory.class).stream()
                .map(factory -> entities(factory, table).lockedIn())
                .filter(root -> !root.isEmpty())
                .findFirst()
                .orElse("");
    }

    /**
     * Rejects a table of a hierarchy that has several tables (TABLE_PER_CLASS), because a row in one of the other
     * tables would be treated as absent.
     */
    public static void refuseSeveral(BeanFactory beans, String what, String table) {
        if (beans.getBeanProvider(DataSource.class).stream().count() != 1) {
            return;
        }
        for (EntityManagerFactory factory : beans.getBeanProvider(EntityManagerFactory.class)) {
            SessionFactoryImplementor sessions = factory.unwrap(SessionFactoryImplementor.class);
            List<String> others = HibernateEntities.of(sessions, table).mapped().stream()
                    .filter(UnionSubclassEntityPersister.class::isInstance)
                    .map(UnionSubclassEntityPersister.class::cast)
                    .filter(entity -> HibernateEntities.isSame(entity.getRootTableName(), table))
                    .flatMap(entity -> entity.getSubclassEntityNames().stream())
                    .map(name -> sessions.getMappingMetamodel().getEntityDescriptor(name))
                    .map(entity -> ((AbstractEntityPersister) entity).getRootTableName())
                    .filter(name -> !HibernateEntities.isSame(name, table))
                    .toList();
            if (!others.isEmpty()) {
                throw new RowLockDefinitionException(
                        what + " names the table " + table + " and says that a row may be absent, but rows of its"
                                + " subclasses are in " + String.join(", ", others) + " (TABLE_PER_CLASS), where"
                                + " nothing would be locked, without an error.",
                        "Name the table of the concrete class; for rows of " + table + " alone, remove required = false"
                                + " and the return type Optional.");
            }
        }
    }

    /** Rejects a setting that releases the connection, and with it the lock, after the first statement. */
    public static void refuseEarlyRelease(BeanFactory beans, DataSource dataSource) {
        for (EntityManagerFactory factory : beans.getBeanProvider(EntityManagerFactory.class)) {
            SessionFactoryImplementor sessions;
            try {
                sessions = factory.unwrap(SessionFactoryImplementor.class);
            } catch (PersistenceException e) {
                continue; // The factory belongs to another JPA provider.
            }
            if (!HibernateSession.isElsewhere(factory, dataSource)
                    && !EntityFind.isOfContainer(sessions)
                    && sessions.getSessionFactoryOptions().getPhysicalConnectionHandlingMode() == RELEASES_EARLY) {
                throw new RowLockDefinitionException(
                        "hibernate.connection.handling_mode=" + RELEASES_EARLY + " returns the connection after each"
                                + " statement, and thereby releases the lock before the transaction ends.",
                        "Remove the setting, or set it to DELAYED_ACQUISITION_AND_HOLD.");
            }
        }
    }

    private static HibernateEntities entities(EntityManagerFactory factory, String table) {
        return HibernateEntities.of(factory.unwrap(SessionFactoryImplementor.class), table);
    }

    static void refuseParts(String what, @Nullable TransactionManager manager, List<LockKey> keys) {
        EntityManagerFactory factory =
                manager instanceof JpaTransactionManager jpa ? jpa.getEntityManagerFactory() : null;
        if (factory == null) {
            return;
        }
        for (LockKey key : keys) {
            if (key instanceof LockKey.Row row) {
                refuseParts(what, row.table(), entities(factory, row.table()).lockedIn());
            }
        }
    }

    static void refuseParts(String what, String table, String root) {
        if (!root.isEmpty()) {
            throw new InvalidDataAccessApiUsageException(
                    notTheRoot(what, table, root).getMessage());
        }
    }

    /**
     * Creates the exception for a table that contains only parts of entities. The rows of such a table must be locked
     * in the root table.
     */
    public static RowLockDefinitionException notTheRoot(String what, String table, String root) {
        return new RowLockDefinitionException(
                what + " names the table " + table + ", which contains only a part of each entity. Hibernate stores a"
                        + " row for every entity in "
                        + root + ", where other code locks that row, and locks in the two tables do not exclude each"
                        + " other.",
                "Name the table " + root + ", or the entity: @RowLock(entity = ...).");
    }

    public static Map<String, String> idColumns(BeanFactory beans, String table, Class<?> idClass) {
        Map<String, String> columns = new HashMap<>();
        for (EntityManagerFactory factory : beans.getBeanProvider(EntityManagerFactory.class)) {
            for (EntityPersister entity : entities(factory, table).mapped()) {
                if (entity.getIdentifierType() instanceof ComponentType id
                        && idClass.isAssignableFrom(id.getReturnedClass())) {
                    String[] names = id.getPropertyNames();
                    String[] of = entity.getIdentifierColumnNames();
                    // If components are nested, there are more columns than names, and the columns cannot be assigned.
                    for (int i = 0; names.length == of.length && i < names.length; i++) {
                        columns.put(names[i], of[i]);
                    }
                }
            }
        }
        return columns;
    }
}
