package org.rowlock.spring;

import jakarta.persistence.EntityManagerFactory;
import java.util.Optional;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.springframework.beans.factory.BeanFactory;

/** Asks Hibernate for the table of an entity, which its naming strategy may have changed. */
final class HibernateTables {
    private HibernateTables() {}

    static Optional<String> tableOf(BeanFactory beans, Class<?> entity) {
        return beans.getBeanProvider(EntityManagerFactory.class).stream()
                .filter(factory -> factory.getMetamodel().getEntities().stream()
                        .anyMatch(known -> entity.equals(known.getJavaType())))
                .map(factory -> tableOf(factory, entity))
                .findFirst();
    }

    private static String tableOf(EntityManagerFactory factory, Class<?> entity) {
        SessionFactoryImplementor sessions = factory.unwrap(SessionFactoryImplementor.class);
        var persister = (AbstractEntityPersister) sessions.getMappingMetamodel().getEntityDescriptor(entity);
        // The root's in a joined hierarchy: it has the id of every row, whatever its class.
        return persister.getRootTableName();
    }
}
