package org.rowlock.spring;

import jakarta.persistence.CacheRetrieveMode;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * What has to be read behind the lock of a table: entities that are to be refreshed, and those whose second-level cache
 * may have them as they were before. {@code PESSIMISTIC_WRITE} goes past that cache, a {@code find} behind a lock does not.
 */
final class EntityReads {
    private static final String CACHE_RETRIEVE_MODE = "jakarta.persistence.cache.retrieveMode";
    private static final boolean HIBERNATE = ClassUtils.isPresent(
            "org.hibernate.engine.spi.SessionFactoryImplementor", EntityReads.class.getClassLoader());

    private EntityReads() {}

    /**
     * What one annotation needs.
     *
     * @param entity as it names it; null if it names the table
     * @param refresh whether a loaded entity is read again
     * @param idClass the class of each id; null where only a call tells
     * @throws RowLockDefinitionException if entities are cached and the ids cannot be those of entities
     */
    static List<EntityRead> of(
            BeanFactory beans,
            String where,
            String table,
            @Nullable Class<?> entity,
            boolean refresh,
            IdSource id,
            @Nullable Class<?> idClass) {
        List<EntityRead> reads = new ArrayList<>();
        for (EntityManagerFactory factory : beans.getBeanProvider(EntityManagerFactory.class)) {
            if (refresh && entity != null && knows(factory, entity)) {
                reads.add(new Refresh(factory, entity));
            }
            for (Class<?> cached : HIBERNATE ? HibernateEntities.cachedIn(factory, table) : List.<Class<?>>of()) {
                check(where, table, factory, cached, id, idClass);
                reads.add(new PastTheCache(factory, cached));
            }
        }
        return List.copyOf(reads);
    }

    private static boolean knows(EntityManagerFactory factory, Class<?> entity) {
        return factory.getMetamodel().getEntities().stream().anyMatch(each -> entity.equals(each.getJavaType()));
    }

    private static void check(
            String where,
            String table,
            EntityManagerFactory factory,
            Class<?> cached,
            IdSource id,
            @Nullable Class<?> idClass) {
        Class<?> expected = HibernateEntities.idType(factory, cached);
        boolean inParts = id instanceof IdSource.Composite;
        if (inParts || (idClass != null && !EntityIds.canConvert(idClass, expected))) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " locks " + table + ", whose entity " + cached.getName()
                            + " is in the second-level cache, and its id "
                            + (inParts ? "is given in parts" : "is of type " + simpleName(idClass))
                            + ": without an id of the entity's own type it cannot be read past the cache, and the cache"
                            + " may have it as it was before the lock.",
                    "Give the id as one " + expected.getName() + ", or do not cache the entity (@Cacheable(false)).");
        }
    }

    private static String simpleName(@Nullable Class<?> type) {
        return type == null ? "unknown" : type.getSimpleName();
    }

    /** What the persistence context has loaded is read again; nothing else is loaded. */
    private record Refresh(EntityManagerFactory factory, Class<?> entity) implements EntityRead {
        @Override
        public void behindLock(List<? extends @Nullable Object> ids, DataSource dataSource) {
            // Without an entity manager of the transaction nothing can have been loaded.
            if (!(TransactionSynchronizationManager.getResource(factory) instanceof EntityManagerHolder)) {
                return;
            }
            EntityManager entities = EntityManagerFactoryUtils.getTransactionalEntityManager(factory);
            if (entities == null) {
                return;
            }
            for (Object id : ids) {
                Object loaded = id == null ? null : loaded(entities, id);
                if (loaded != null && entities.contains(loaded)) {
                    entities.refresh(loaded);
                }
            }
        }

        /** JPA itself cannot look without loading. */
        private @Nullable Object loaded(EntityManager entities, Object id) {
            return HIBERNATE && HibernateEntities.isOf(factory)
                    ? HibernateEntities.loaded(factory, entities, entity, id)
                    : entities.find(entity, EntityIds.convert(id, EntityIds.idType(factory, entity), entity));
        }
    }

    /** What is not loaded is loaded from the database, so that a find behind the lock has it from there. */
    private record PastTheCache(EntityManagerFactory factory, Class<?> entity) implements EntityRead {
        @Override
        public void behindLock(List<? extends @Nullable Object> ids, DataSource dataSource) {
            if (factory instanceof EntityManagerFactoryInfo info
                    && info.getDataSource() != null
                    && !CurrentTransaction.target(info.getDataSource()).equals(CurrentTransaction.target(dataSource))) {
                return;
            }
            EntityManager entities = EntityManagerFactoryUtils.getTransactionalEntityManager(factory);
            if (entities == null) {
                return;
            }
            Class<?> type = HibernateEntities.idType(factory, entity);
            for (Object id : ids) {
                if (id != null) {
                    entities.find(
                            entity,
                            EntityIds.convert(id, type, entity),
                            Map.of(CACHE_RETRIEVE_MODE, CacheRetrieveMode.BYPASS));
                }
            }
        }
    }
}
