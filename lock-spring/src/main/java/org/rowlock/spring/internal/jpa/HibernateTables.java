package org.rowlock.spring.internal.jpa;

import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import javax.sql.DataSource;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.UnionSubclassEntityPersister;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * The tables of Hibernate's mappings in an application; none if Hibernate is missing. JPA's types may be missing too.
 * Therefore this class catches no exception of JPA, and uses JPA's types only if there is a factory. Thread-safe.
 */
public record HibernateTables(BeanFactory beans) {
    private static final boolean IS_PRESENT =
            SessionCaches.isPresent("org.hibernate.engine.spi.SessionFactoryImplementor");

    /**
     * Returns the name of an entity's table, which Hibernate's naming strategy may have changed.
     *
     * @param where the method with the annotation, for messages
     */
    public String tableOf(String where, Class<?> entity) {
        for (EntityManagerFactory factory : factories()) {
            if (sessions(factory).getMappingMetamodel().findEntityDescriptor(entity)
                    instanceof AbstractEntityPersister persister) {
                return tableOf(where, entity, persister);
            }
        }
        throw new RowLockDefinitionException(
                "@RowLock on " + where + " names the entity " + entity.getName()
                        + ", which has no table, because Hibernate does not map this class.",
                "Name an entity of Hibernate, or give the table: @RowLock(\"orders\").");
    }

    /** Returns the factories of Hibernate, without the factories of other JPA providers. */
    private List<EntityManagerFactory> factories() {
        return IS_PRESENT
                ? beans.getBeanProvider(EntityManagerFactory.class).stream()
                        .filter(HibernateSession::isOfHibernate)
                        .toList()
                : List.of();
    }

    private static SessionFactoryImplementor sessions(EntityManagerFactory factory) {
        return factory.unwrap(SessionFactoryImplementor.class);
    }

    private static String tableOf(String where, Class<?> entity, AbstractEntityPersister persister) {
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
     * Returns the given table. Rejects a table that contains only a part of each entity: the table of a joined
     * subclass, and a secondary table. Checks nothing if there are several DataSources, because the DataSource is known
     * only at a call.
     */
    public String checked(String what, String table) {
        if (!IS_PRESENT || beans.getBeanProvider(DataSource.class).stream().count() != 1) {
            return table;
        }
        for (EntityManagerFactory factory : factories()) {
            HibernateEntities entities = HibernateEntities.of(sessions(factory), table);
            if (!entities.lockedIn().isEmpty()) {
                throw notTheRoot(what, table, entities.lockedIn());
            }
        }
        return table;
    }

    static void refuseParts(String what, @Nullable TransactionManager manager, List<LockKey> keys) {
        EntityManagerFactory factory =
                manager instanceof JpaTransactionManager jpa ? jpa.getEntityManagerFactory() : null;
        if (factory == null) {
            return;
        }
        for (LockKey key : keys) {
            if (key instanceof LockKey.Row row) {
                refuseParts(what, row.table(), HibernateEntities.of(sessions(factory), row.table()));
            }
        }
    }

    static void refuseParts(String what, String table, HibernateEntities entities) {
        if (!entities.lockedIn().isEmpty()) {
            throw new InvalidDataAccessApiUsageException(
                    notTheRoot(what, table, entities.lockedIn()).getMessage());
        }
    }

    /**
     * Creates the exception for a table that contains only parts of entities. The rows of such a table must be locked
     * in the root table.
     */
    private static RowLockDefinitionException notTheRoot(String what, String table, String root) {
        return new RowLockDefinitionException(
                what + " names the table " + table + ", which contains only a part of each entity. Hibernate stores a"
                        + " row for every entity in "
                        + root + ", where other code locks that row, and locks in the two tables do not exclude each"
                        + " other.",
                "Name the table " + root + ", or the entity: @RowLock(entity = ...).");
    }
}
