package org.rowlock.spring;

import jakarta.persistence.EntityManagerFactory;
import java.util.Optional;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.UnionSubclassEntityPersister;
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
}
