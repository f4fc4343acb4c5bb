package org.rowlock.spring;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.metamodel.Type;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.NumberUtils;

/** Reads entities again that the transaction's persistence context loaded before the lock. */
final class EntityRefresh {
    private EntityRefresh() {}

    /** Refreshes those of the ids that are loaded; loads none. */
    static void refresh(BeanFactory beans, Class<?> entity, List<?> ids) {
        for (EntityManagerFactory factory : beans.getBeanProvider(EntityManagerFactory.class)) {
            boolean known =
                    factory.getMetamodel().getEntities().stream().anyMatch(each -> entity.equals(each.getJavaType()));
            // Without an entity manager of the transaction nothing can have been loaded.
            if (known && TransactionSynchronizationManager.getResource(factory) instanceof EntityManagerHolder) {
                EntityManager entities = EntityManagerFactoryUtils.getTransactionalEntityManager(factory);
                if (entities != null) {
                    ids.forEach(id -> refresh(factory, entities, entity, id));
                }
            }
        }
    }

    private static void refresh(EntityManagerFactory factory, EntityManager entities, Class<?> entity, Object id) {
        // No query: the loaded entity, or a proxy that stays without one.
        Object reference = entities.getReference(entity, ofIdType(factory, entity, id));
        if (factory.getPersistenceUnitUtil().isLoaded(reference)) {
            entities.refresh(reference);
        }
    }

    /** JPA wants exactly the type that the entity has: a long where it says Long. */
    @SuppressWarnings("unchecked")
    private static Object ofIdType(EntityManagerFactory factory, Class<?> entity, Object id) {
        Type<?> type = factory.getMetamodel().entity(entity).getIdType();
        Class<?> idType = type == null ? id.getClass() : type.getJavaType();
        Class<?> boxed = org.springframework.util.ClassUtils.resolvePrimitiveIfNecessary(idType);
        return id instanceof Number number && Number.class.isAssignableFrom(boxed)
                ? NumberUtils.convertNumberToTargetClass(number, (Class<? extends Number>) boxed)
                : id;
    }
}
