package org.rowlock.spring.internal.jpa;

import jakarta.persistence.CacheRetrieveMode;
import jakarta.persistence.PersistenceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.hibernate.CacheMode;
import org.hibernate.LockMode;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.BasicType;
import org.hibernate.type.descriptor.java.JavaType;
import org.rowlock.LockKey;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaDialect;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * A session of Hibernate that the running transaction has. Behind a lock an entity that it has loaded is read again,
 * and the second-level cache is passed by, as {@code PESSIMISTIC_WRITE} does.
 */
record HibernateSession(SessionImplementor session, PersistenceExceptionTranslator translator) {
    private static final String RETRIEVE = "jakarta.persistence.cache.retrieveMode";

    /** By factory and table; a factory that is closed goes. */
    private static final Map<SessionFactoryImplementor, Map<String, Entities>> OF_TABLES =
            new ConcurrentReferenceHashMap<>(4, ConcurrentReferenceHashMap.ReferenceType.WEAK);

    /**
     * The entities of a table.
     *
     * @param names of these, and of all in a hierarchy that has the table
     * @param cached those that the second-level cache may have
     * @param isCached whether it may have anything that is read with these: a collection, or the result of a query
     * @param lockedIn the table that has each of their rows, if this one has not; empty for this one
     */
    private record Entities(Set<String> names, List<EntityPersister> cached, boolean isCached, String lockedIn) {}

    /** By these the row is the transaction's already, by a lock or by a write of its own. */
    private static final Set<LockMode> HELD =
            Set.of(LockMode.PESSIMISTIC_WRITE, LockMode.PESSIMISTIC_FORCE_INCREMENT, LockMode.WRITE);

    /** The types of ids that Hibernate reads from text as keys have it. */
    private static final Set<Class<?>> SPELLED_ALIKE =
            Set.of(Integer.class, Long.class, Short.class, String.class, UUID.class);

    /** @param surely whether its id is known to be one of the keys */
    private record Loaded(Object entity, EntityEntry entry, boolean surely) {}

    /** Empty if a resource of the thread is no such session, or one of another DataSource. */
    static Optional<HibernateSession> of(Object factory, Object holder, DataSource dataSource) {
        if (!(holder instanceof EntityManagerHolder bound) || isElsewhere(factory, dataSource)) {
            return Optional.empty();
        }
        try {
            JpaDialect dialect = factory instanceof EntityManagerFactoryInfo info ? info.getJpaDialect() : null;
            return Optional.of(new HibernateSession(
                    bound.getEntityManager().unwrap(SessionImplementor.class),
                    dialect == null ? EntityManagerFactoryUtils::convertJpaAccessExceptionIfPossible : dialect));
        } catch (PersistenceException e) {
            return Optional.empty();
        }
    }

    private static boolean isElsewhere(Object factory, DataSource dataSource) {
        return factory instanceof EntityManagerFactoryInfo info
                && info.getDataSource() != null
                && !Pools.bound(info.getDataSource()).equals(Pools.bound(dataSource));
    }

    /**
     * Refuses what cannot be locked behind what the session has done: if an entity of the rows is loaded and changed,
     * without a lock, or a table is not the one that each of its rows is locked in.
     */
    void refuse(String what, Map<String, Set<List<String>>> rows) {
        for (String table : rows.keySet()) {
            String lockedIn = entities(table).lockedIn();
            if (!lockedIn.isEmpty()) {
                throw new InvalidDataAccessApiUsageException(
                        HibernateTables.notTheRoot(what, table, lockedIn).getMessage());
            }
        }
        for (Loaded each : loaded(rows)) {
            if (each.surely() && !HELD.contains(each.entry().getLockMode()) && isChanged(each)) {
                throw new InvalidDataAccessApiUsageException(what + ": the entity "
                        + each.entry().getEntityName() + " with the id "
                        + each.entry().getId()
                        + " was loaded before the lock and has been changed since, so it is not known whether the"
                        + " change is one of what the row has now. Lock before the entity is read, or flush the change"
                        + " before the lock.");
            }
        }
    }

    private boolean isChanged(Loaded loaded) {
        EntityPersister persister = loaded.entry().getPersister();
        Object[] before = loaded.entry().getLoadedState();
        return before != null
                && (persister.findDirty(persister.getValues(loaded.entity()), before, loaded.entity(), session) != null
                        || hasChangedCollection(loaded.entity()));
    }

    /** Of one that another entity maps, the elements are changed, and not this one. */
    @SuppressWarnings("ReferenceEquality")
    private boolean hasChangedCollection(Object owner) {
        List<Object> changed = new ArrayList<>();
        session.getPersistenceContextInternal()
                .forEachCollectionEntry(
                        (collection, entry) -> {
                            if (collection.getOwner() == owner
                                    && collection.isDirty()
                                    && entry.getLoadedPersister() != null
                                    && !entry.getLoadedPersister().isInverse()) {
                                changed.add(collection);
                            }
                        },
                        false);
        return !changed.isEmpty();
    }

    /** Reads again what is loaded, and has the rest read from the database until the transaction ends. */
    void renew(Map<String, Set<List<String>>> rows, Consumer<Runnable> atEnd) {
        try {
            List<Loaded> loaded = loaded(rows);
            // To refresh an entity drops the pending changes of its collections, and of what it cascades to.
            if (loaded.stream()
                    .map(each -> each.entry().getPersister())
                    .anyMatch(persister -> persister.hasCascades() || persister.hasCollections())) {
                session.flush();
            }
            // What is changed and was not refused has to keep its change.
            loaded.stream().filter(each -> !isChanged(each)).forEach(each -> session.refresh(each.entity()));
            rows.forEach((table, ids) -> load(entities(table), ids));
        } catch (RuntimeException e) {
            throw DataAccessUtils.translateIfNecessary(e, translator);
        }
        if (rows.keySet().stream().anyMatch(table -> entities(table).isCached())) {
            passTheCacheBy(atEnd);
        }
    }

    /** Several of the cache in one statement: past the cache each would be one of its own. */
    private void load(Entities entities, Set<List<String>> ids) {
        if (ids.size() > 1
                && entities.cached().size() == 1
                && entities.cached().get(0).getIdentifierType() instanceof BasicType<?> type
                && SPELLED_ALIKE.contains(type.getReturnedClass())) {
            List<Object> values = new ArrayList<>();
            try {
                ids.forEach(id -> values.add(type.getJavaTypeDescriptor().fromString(id.get(0))));
            } catch (IllegalArgumentException e) {
                return; // A key that no row has: the reads behind the lock find the others.
            }
            List<Object> unused = session.<Object>byMultipleIds(
                            entities.cached().get(0).getEntityName())
                    .with(CacheMode.REFRESH)
                    .enableSessionCheck(true)
                    .multiLoad(values);
        }
    }

    /** For {@code find} the property counts, and for all else the mode. */
    private void passTheCacheBy(Consumer<Runnable> atEnd) {
        CacheMode before = session.getCacheMode();
        Object property = session.getProperties().getOrDefault(RETRIEVE, CacheRetrieveMode.USE);
        if (property == CacheRetrieveMode.BYPASS && before.getJpaRetrieveMode() == CacheRetrieveMode.BYPASS) {
            return;
        }
        session.setProperty(RETRIEVE, CacheRetrieveMode.BYPASS);
        session.setCacheMode(CacheMode.fromJpaModes(CacheRetrieveMode.BYPASS, before.getJpaStoreMode()));
        atEnd.accept(() -> {
            if (session.isOpen()) {
                session.setProperty(RETRIEVE, property);
                session.setCacheMode(before);
            }
        });
    }

    private Entities entities(String table) {
        return OF_TABLES
                .computeIfAbsent(session.getFactory(), factory -> new ConcurrentHashMap<>())
                .computeIfAbsent(table, this::find);
    }

    private Entities find(String table) {
        Set<String> names = new HashSet<>();
        List<EntityPersister> cached = new ArrayList<>();
        session.getFactory().getMappingMetamodel().forEachEntityDescriptor(persister -> {
            if (Arrays.stream(persister.getQuerySpaces()).anyMatch(mapped -> isSame(mapped.toString(), table))) {
                names.add(persister.getEntityName());
                if (persister.canReadFromCache()) {
                    cached.add(persister);
                }
            }
        });
        boolean isCached = !cached.isEmpty()
                || session.getFactory().getSessionFactoryOptions().isQueryCacheEnabled()
                || session.getFactory()
                        .getMappingMetamodel()
                        .streamCollectionDescriptors()
                        .anyMatch(collection -> collection.hasCache()
                                && names.contains(
                                        collection.getOwnerEntityPersister().getEntityName()));
        return new Entities(names, cached, isCached, HibernateTables.rootOf(session.getFactory(), table));
    }

    /** A name without a schema is taken for that of any: reading one entity more is no harm. */
    static boolean isSame(String mapped, String table) {
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

    /** Those of the rows that the session has, and that the database has too as far as the session knows. */
    private List<Loaded> loaded(Map<String, Set<List<String>>> rows) {
        List<Loaded> loaded = new ArrayList<>();
        if (session.getPersistenceContextInternal().getNumberOfManagedEntities() > 0) {
            rows.forEach((table, ids) -> addLoaded(entities(table), ids, loaded));
        }
        return loaded;
    }

    private void addLoaded(Entities entities, Set<List<String>> ids, List<Loaded> loaded) {
        if (entities.names().isEmpty()) {
            return;
        }
        for (Map.Entry<Object, EntityEntry> each :
                session.getPersistenceContextInternal().reentrantSafeEntityEntries()) {
            EntityEntry entry = each.getValue();
            if (entities.names().contains(entry.getEntityName())
                    && entry.isExistsInDatabase()
                    && (entry.getStatus() == Status.MANAGED || entry.getStatus() == Status.READ_ONLY)) {
                List<String> id = id(entry);
                if (id.isEmpty() || ids.isEmpty() || ids.contains(id)) {
                    loaded.add(new Loaded(each.getKey(), entry, ids.contains(id)));
                }
            }
        }
    }

    /** As its columns have it, in whatever order the mapping has them; empty if no key can be of such a type. */
    private List<String> id(EntityEntry entry) {
        List<Object> columns = new ArrayList<>();
        int unused = entry.getPersister()
                .getIdentifierMapping()
                .forEachJdbcValue(
                        entry.getId(),
                        (index, value, column) -> columns.addAll(SessionCaches.parts(stored(value, column))),
                        session);
        try {
            return SessionCaches.sorted(LockKey.row("any", columns).id());
        } catch (IllegalArgumentException e) {
            return List.of();
        }
    }

    /** An enum may be stored as its name or its number; of an object that only its user type knows the fields are. */
    private Object stored(Object value, JdbcMapping column) {
        Class<?> stored = value instanceof Enum ? column.getJdbcType().getPreferredJavaTypeClass(session) : null;
        return stored == null ? value : unwrapped(column.getJdbcJavaType(), value, stored);
    }

    private <T> Object unwrapped(JavaType<T> type, Object value, Class<?> stored) {
        return type.unwrap(type.getJavaTypeClass().cast(value), stored, session);
    }
}
