package org.rowlock.spring;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.metamodel.EntityType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;

/** What only Hibernate itself tells of its entities. */
final class HibernateEntities {
    private HibernateEntities() {}

    static boolean isOf(EntityManagerFactory factory) {
        try {
            return factory.unwrap(SessionFactoryImplementor.class) != null;
        } catch (PersistenceException e) {
            return false;
        }
    }

    /** The entities of a table that the second-level cache may give; of a hierarchy the root where its table it is. */
    static List<Class<?>> cachedIn(EntityManagerFactory factory, String table) {
        if (!isOf(factory)) {
            return List.of();
        }
        Set<Class<?>> cached = new LinkedHashSet<>();
        for (EntityType<?> each : factory.getMetamodel().getEntities()) {
            Class<?> type = each.getJavaType();
            if (type != null && persister(factory, type).canReadFromCache()) {
                AbstractEntityPersister persister = persister(factory, type);
                if (isSame(persister.getRootTableName(), table)) {
                    cached.add(root(factory, persister));
                } else if (Stream.of(persister.getTableName()).anyMatch(name -> isSame(name, table))) {
                    cached.add(type);
                }
            }
        }
        return List.copyOf(cached);
    }

    private static Class<?> root(EntityManagerFactory factory, AbstractEntityPersister persister) {
        return factory.unwrap(SessionFactoryImplementor.class)
                .getMappingMetamodel()
                .getEntityDescriptor(persister.getRootEntityName())
                .getMappedClass();
    }

    /** A name without a schema is taken for that of any: reading one entity more is no harm. */
    private static boolean isSame(String mapped, String table) {
        String name = normal(mapped);
        return name.equals(table)
                || (name.contains(".") != table.contains(".") && last(name).equals(last(table)));
    }

    private static String normal(String mapped) {
        try {
            return LockKey.row(mapped, 0).table();
        } catch (IllegalArgumentException e) {
            return mapped;
        }
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    static Class<?> idType(EntityManagerFactory factory, Class<?> entity) {
        return persister(factory, entity).getIdentifierType().getReturnedClass();
    }

    /** The entity as the persistence context has it; null if it has none, or only a proxy that has not loaded it. */
    static @Nullable Object loaded(EntityManagerFactory factory, EntityManager entities, Class<?> entity, Object id) {
        SharedSessionContractImplementor session = entities.unwrap(SharedSessionContractImplementor.class);
        Object own = EntityIds.convert(id, idType(factory, entity), entity);
        return session.getPersistenceContext().getEntity(session.generateEntityKey(own, persister(factory, entity)));
    }

    private static AbstractEntityPersister persister(EntityManagerFactory factory, Class<?> entity) {
        return (AbstractEntityPersister) factory.unwrap(SessionFactoryImplementor.class)
                .getMappingMetamodel()
                .getEntityDescriptor(entity);
    }
}
