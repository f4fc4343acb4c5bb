package org.rowlock.spring.internal.jpa;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.BasicType;
import org.hibernate.type.CustomType;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.text.TableName;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * The entities of a table.
 *
 * @param mapped the entities of the table, and the other entities of a hierarchy that uses the table
 * @param names the names of these entities
 * @param isCached whether a cache may contain these entities, their collections, or results of queries
 * @param lockedIn the table in which the rows must be locked instead: for a joined subclass the root's table, for a
 *     secondary table the entity's main table. Empty if the rows are locked in the table itself
 * @param areCounted whether Hibernate expects each of its writes to the table to change exactly one row
 * @param find the find of JPA that locks a row as Rowlock would; null if there is no such find
 */
record HibernateEntities(
        List<EntityPersister> mapped,
        Set<String> names,
        boolean isCached,
        String lockedIn,
        boolean areCounted,
        @Nullable EntityFind find) {
    /** The types of ids that Hibernate can parse from the text in a key, with a sample value for each type. */
    private static final Map<Class<?>, Object> SPELLED_ALIKE = Map.of(
            Integer.class, 0, Long.class, 0L, Short.class, (short) 0, String.class, "", UUID.class, new UUID(0, 0));

    /** The entities by factory and table, held softly, because every garbage collection clears weak references. */
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
        // If only the given name has a schema, the tables may be different. The query spaces include tables of
        // @Synchronize, in which the entity stores nothing.
        List<String> roots = mapped.stream()
                .filter(AbstractEntityPersister.class::isInstance)
                .map(AbstractEntityPersister.class::cast)
                .filter(entity -> Arrays.stream(entity.getTableNames())
                        .filter(name -> !table.contains(".") || name.contains("."))
                        .anyMatch(name -> isSame(name, table)))
                .map(AbstractEntityPersister::getRootTableName)
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
                WriteCounts.areOne(factory, table, mapped),
                EntityFind.of(factory, table, mapped));
    }

    static Stream<String> spaces(EntityPersister entity) {
        return Arrays.stream(entity.getQuerySpaces()).map(Object::toString);
    }

    /**
     * Whether two names can mean one table. A name without a schema matches every schema. Usually a wrong match only
     * makes Rowlock read one more entity again.
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

    /** Returns an arbitrary value of the id's type. Returns null if the text in a key may differ from the stored id. */
    static @Nullable Object sampleId(EntityPersister entity) {
        return entity.getIdentifierType() instanceof BasicType<?> basic && isStoredAsItIs(basic)
                ? SPELLED_ALIKE.get(basic.getReturnedClass())
                : null;
    }

    /** Whether the column contains the id itself, rather than a value into which a type of the application converts. */
    private static boolean isStoredAsItIs(BasicType<?> type) {
        return !(type instanceof CustomType)
                && type.getValueConverter() == null
                && Stream.of(type.getJavaTypeDescriptor(), type.getJdbcType())
                        .allMatch(each -> each.getClass().getName().startsWith("org.hibernate."))
                && type.getJdbcType().isString() == (type.getReturnedClass() == String.class);
    }

    List<String> idColumns() {
        return mapped.isEmpty() ? List.of() : idColumns(mapped.get(0));
    }

    /** Returns the id columns of an entity in the order of the mapping, spelled as in the catalog. */
    static List<String> idColumns(EntityPersister entity) {
        return Arrays.stream(entity.getIdentifierColumnNames())
                .map(name -> TableName.parts(name).get(0))
                .toList();
    }
}
