package org.rowlock.spring;

import jakarta.persistence.EntityManagerFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.UnionSubclassEntityPersister;
import org.hibernate.type.ComponentType;
import org.springframework.beans.factory.BeanFactory;

/** Asks Hibernate for the table of an entity, which its naming strategy may have changed. */
final class HibernateTables {
    private HibernateTables() {}

    static Optional<String> tableOf(String where, BeanFactory beans, Class<?> entity) {
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
                    "Name an entity that has no subclasses, or give the table that all callers are to lock in.");
        }
        // The root's in a joined hierarchy: it has the id of every row, whatever its class.
        return persister.getRootTableName();
    }

    /** The column of each component of an id class, as the entities of a table map it. */
    static Map<String, String> idColumns(BeanFactory beans, String table, Class<?> idClass) {
        Map<String, String> columns = new HashMap<>();
        for (EntityManagerFactory factory : beans.getBeanProvider(EntityManagerFactory.class)) {
            factory.unwrap(SessionFactoryImplementor.class)
                    .getMappingMetamodel()
                    .forEachEntityDescriptor(entity -> {
                        if (entity instanceof AbstractEntityPersister mapped
                                && mapped.getIdentifierType() instanceof ComponentType id
                                && idClass.equals(id.getReturnedClass())
                                && HibernateSession.isSame(mapped.getRootTableName(), table)) {
                            addColumns(id.getPropertyNames(), mapped.getIdentifierColumnNames(), columns);
                        }
                    });
        }
        return columns;
    }

    /** Of nested components there are more columns than names. */
    private static void addColumns(String[] names, String[] of, Map<String, String> columns) {
        for (int i = 0; names.length == of.length && i < names.length; i++) {
            columns.put(names[i], of[i]);
        }
    }
}
