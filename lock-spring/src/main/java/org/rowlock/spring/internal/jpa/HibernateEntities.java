package org.rowlock.spring.internal.jpa;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hibernate.CacheMode;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.BasicType;
import org.hibernate.type.ComponentType;
import org.hibernate.type.Type;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.springframework.beans.BeanUtils;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * The entities of a table.
 *
 * @param mapped the entities, and all others in a hierarchy that has the table
 * @param names their names
 * @param isCached whether it may have cached data that was read with these: a collection, or the result of a query
 * @param lockedIn the table that has every row of theirs, if this one does not: the root's for a joined subclass, the
 *     entity's own for a secondary table. Empty if it is this table, or if the table has no entity
 * @param find locks a row of it as Rowlock would; null if none does
 */
record HibernateEntities(
        List<EntityPersister> mapped,
        Set<String> names,
        boolean isCached,
        String lockedIn,
        @Nullable EntityFind find) {
    /** The types of ids that Hibernate reads from the same text as keys have, each with a value. */
    private static final Map<Class<?>, Object> SPELLED_ALIKE = Map.of(
            Integer.class, 0, Long.class, 0L, Short.class, (short) 0, String.class, "", UUID.class, new UUID(0, 0));

    /**
     * The entities by factory and table. References to them are soft: weak ones would be gone after each collection.
     */
    private static final Map<SessionFactoryImplementor, Map<String, HibernateEntities>> OF_TABLES =
            new ConcurrentReferenceHashMap<>(4);

    static HibernateEntities of(SessionFactoryImplementor factory, String table) {
        Map<String, HibernateEntities> ofFactory = OF_TABLES.get(factory);
        HibernateEntities known = ofFactory == null ? null : ofFactory.get(table);
        return known != null
                ? known
                : OF_TABLES
                        .computeIfAbsent(factory, each -> new ConcurrentHashMap<>())
                        .computeIfAbsent(table, each -> find(factory, each));
    }

    private static HibernateEntities find(SessionFactoryImplementor factory, String table) {
        List<EntityPersister> mapped = factory.getMappingMetamodel()
                .streamEntityDescriptors()
                .filter(entity -> spaces(entity).anyMatch(space -> isSame(space, table)))
                .toList();
        Set<String> names = mapped.stream().map(EntityPersister::getEntityName).collect(Collectors.toUnmodifiableSet());
        // A table in a schema that the mapping does not have is a different table.
        List<String> roots = mapped.stream()
                .filter(entity -> spaces(entity)
                        .filter(space -> !table.contains(".") || space.contains("."))
                        .anyMatch(space -> isSame(space, table)))
                .filter(AbstractEntityPersister.class::isInstance)
                .map(entity -> ((AbstractEntityPersister) entity).getRootTableName())
                .toList();
        boolean isCached = mapped.stream().anyMatch(EntityPersister::canReadFromCache)
                || factory.getSessionFactoryOptions().isQueryCacheEnabled()
                || factory.getMappingMetamodel()
                        .streamCollectionDescriptors()
                        .anyMatch(collection -> collection.hasCache()
                                && names.contains(
                                        collection.getOwnerEntityPersister().getEntityName()));
        boolean isRoot = roots.stream().anyMatch(root -> isSame(root, table));
        return new HibernateEntities(
                mapped,
                names,
                isCached,
                isRoot ? "" : roots.stream().findFirst().orElse(""),
                EntityFind.of(factory, table, mapped));
    }

    private static Stream<String> spaces(EntityPersister entity) {
        return Arrays.stream(entity.getQuerySpaces()).map(Object::toString);
    }

    /**
     * Whether two names may mean one table. A name without a schema matches any schema, because reading one more entity
     * does no harm.
     */
    static boolean isSame(String mapped, String table) {
        String name = normal(mapped);
        return name.equals(table)
                || (name.contains(".") != table.contains(".") && last(name).equals(last(table)));
    }

    static String normal(String mapped) {
        try {
            return LockKey.row(mapped, 0).table();
        } catch (IllegalArgumentException e) {
            return mapped;
        }
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /**
     * Reads several rows of the cache in one statement. Once the cache is bypassed, each would need its own.
     *
     * @param columns the columns of ids of several, in their order
     */
    void load(SessionImplementor session, List<String> columns, Set<List<String>> ids) {
        List<EntityPersister> cached = ids.size() < 2
                ? List.of()
                : mapped.stream().filter(EntityPersister::canReadFromCache).toList();
        if (cached.size() == 1) {
            EntityPersister entity = cached.get(0);
            List<Object> values = new ArrayList<>();
            try {
                ids.forEach(id -> values.add(id(session, entity, columns, id)));
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                return; // No row has this key, or its type cannot be read: the reads under the lock find the others
            }
            List<Object> unused = session.<Object>byMultipleIds(entity.getEntityName())
                    .with(CacheMode.REFRESH)
                    .enableSessionCheck(true)
                    .multiLoad(values);
        }
    }

    private static Object id(
            SessionImplementor session, EntityPersister entity, List<String> columns, List<String> id) {
        if (!(entity.getIdentifierType() instanceof ComponentType type)) {
            return value(entity.getIdentifierType(), id.get(0));
        }
        List<String> mapped = idColumns(entity);
        Object[] parts = new Object[type.getSubtypes().length];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = value(type.getSubtypes()[i], id.get(columns.indexOf(mapped.get(i))));
        }
        Object empty = type.isMutable() ? BeanUtils.instantiateClass(type.getReturnedClass()) : null;
        return type.replacePropertyValues(empty, parts, session);
    }

    /**
     * Returns a value of the id's type, which need not be that of a row; null for a type that is not read from text.
     */
    static @Nullable Object sampleId(EntityPersister entity) {
        return entity.getIdentifierType() instanceof BasicType<?> basic
                ? SPELLED_ALIKE.get(basic.getReturnedClass())
                : null;
    }

    static Object value(Type type, String text) {
        if (type instanceof BasicType<?> basic && SPELLED_ALIKE.containsKey(basic.getReturnedClass())) {
            return basic.getJavaTypeDescriptor().fromString(text);
        }
        throw new IllegalArgumentException(type.getName());
    }

    /** Returns the id columns of one of them, in the order of the mapping. */
    List<String> idColumns() {
        return mapped.isEmpty() ? List.of() : idColumns(mapped.get(0));
    }

    /** Returns the columns of its id in the order of the mapping, as the catalog has them. */
    static List<String> idColumns(EntityPersister entity) {
        return Arrays.stream(entity.getIdentifierColumnNames())
                .map(name ->
                        name.startsWith("\"") ? name.substring(1, name.length() - 1) : name.toLowerCase(Locale.ROOT))
                .toList();
    }
}
