package org.rowlock.spring.internal.jpa;

import jakarta.persistence.CacheRetrieveMode;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.hibernate.CacheMode;
import org.hibernate.HibernateException;
import org.hibernate.LockMode;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.EntityKey;
import org.hibernate.engine.spi.LoadQueryInfluencers;
import org.hibernate.engine.spi.PersistenceContext;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.beans.BeanUtils;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaDialect;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * A session of Hibernate that belongs to the running transaction. Under a lock, an entity that it has loaded is read
 * again, and the second-level cache is bypassed, as for {@code PESSIMISTIC_WRITE}.
 *
 * @param locked the locked rows
 */
record HibernateSession(SessionImplementor session, PersistenceExceptionTranslator translator, SessionCaches locked) {
    private static final String RETRIEVE = "jakarta.persistence.cache.retrieveMode";

    /** The lock modes that show that the transaction already holds the row, by a lock or by a write of its own. */
    private static final Set<LockMode> HELD =
            Set.of(LockMode.PESSIMISTIC_WRITE, LockMode.PESSIMISTIC_FORCE_INCREMENT, LockMode.WRITE);

    /** @param surely whether its id is known to be one of the keys */
    private record Loaded(Object entity, EntityEntry entry, boolean surely) {}

    /** Returns the session; null if a resource of the thread is no such session, or one of another DataSource. */
    static @Nullable HibernateSession of(Object factory, Object holder, SessionCaches locked) {
        if (!(holder instanceof EntityManagerHolder bound)) {
            return null;
        }
        Unit unit = Unit.of(factory);
        if (unit.isElsewhere(locked.dataSource())) {
            return null;
        }
        try {
            return new HibernateSession(
                    bound.getEntityManager().unwrap(SessionImplementor.class), unit.translator(), locked);
        } catch (PersistenceException e) {
            return null;
        }
    }

    static boolean isElsewhere(Object factory, DataSource dataSource) {
        return Unit.of(factory).isElsewhere(dataSource);
    }

    /**
     * The persistence unit of a factory. A factory of Spring's is a proxy, which takes several times as long to ask.
     *
     * @param dataSource its database; null if it does not expose it
     */
    private record Unit(@Nullable DataSource dataSource, PersistenceExceptionTranslator translator) {
        private static final Map<Object, Unit> OF_FACTORIES = new ConcurrentReferenceHashMap<>(4);

        static Unit of(Object factory) {
            Unit known = OF_FACTORIES.get(factory);
            return known == null ? OF_FACTORIES.computeIfAbsent(factory, Unit::read) : known;
        }

        private static Unit read(Object factory) {
            EntityManagerFactoryInfo info = factory instanceof EntityManagerFactoryInfo exposing ? exposing : null;
            JpaDialect dialect = info == null ? null : info.getJpaDialect();
            DataSource exposed = info == null ? null : info.getDataSource();
            return new Unit(
                    exposed == null ? null : Pools.bound(exposed),
                    dialect == null ? EntityManagerFactoryUtils::convertJpaAccessExceptionIfPossible : dialect);
        }

        boolean isElsewhere(DataSource other) {
            return dataSource != null && !dataSource.equals(Pools.bound(other));
        }
    }

    /**
     * Rejects a lock that comes too late in the session. An entity of the rows may be loaded and changed without a
     * lock. Or the rows of a table may have to be locked in another one.
     */
    void refuse() {
        for (String table : locked.rows().keySet()) {
            HibernateTables.refuseParts(locked.what(), table, entities(table).lockedIn());
        }
        for (Loaded each : loaded()) {
            if (each.surely() && !HELD.contains(each.entry().getLockMode()) && isChanged(each)) {
                throw new InvalidDataAccessApiUsageException(locked.what() + ": the entity "
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

    /**
     * Whether the collection maps its elements itself. If another entity maps it, the elements change, and not this
     * one.
     */
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

    /**
     * Returns how JPA locks a row, if that reads the entity as a find under the lock would; null if it does not.
     *
     * @param connection the connection of the transaction: the session may belong to an outer one
     */
    @Nullable
    EntityLock lockOf(LockKey.Row row, RowLockMode mode, Connection connection) {
        HibernateEntities entities = entities(row.table());
        EntityFind find = entities.find();
        LockModeType asked = find == null ? null : find.modes().get(mode);
        LoadQueryInfluencers influencers = session.getLoadQueryInfluencers();
        if (find == null
                || asked == null
                || row.givenId().size() != 1
                || !session.isTransactionInProgress()
                || session.getTransaction().getRollbackOnly()
                || !connection.equals(
                        session.getJdbcCoordinator().getLogicalConnection().getPhysicalConnection())
                || influencers.hasEnabledFilters()
                || influencers.hasEnabledFetchProfiles()
                || influencers.getEffectiveEntityGraph().getSemantic() != null) {
            return null;
        }
        EntityPersister root = session.getFactory().getMappingMetamodel().getEntityDescriptor(find.entity());
        try {
            Object id = HibernateEntities.value(
                    root.getIdentifierType(), row.givenId().get(0));
            PersistenceContext context = session.getPersistenceContextInternal();
            EntityKey key = session.generateEntityKey(id, root);
            Object known = context.getEntity(key);
            boolean isFound = known == null ? !context.containsDeletedUnloadedEntityKey(key) : isReadAgain(known);
            return isFound ? new EntityLock(session, translator, find, asked, id, known) : null;
        } catch (IllegalArgumentException | HibernateException e) {
            return null; // Rowlock reports the fault in the id
        }
    }

    /**
     * Whether a refresh locks the entity, and loses no pending change of it or of the entities that it cascades to.
     * Hibernate does not lock a row that it regards as locked. It also regards a row as locked that it has only joined,
     * and after the rollback of a savepoint.
     */
    private boolean isReadAgain(Object entity) {
        EntityEntry entry = session.getPersistenceContextInternal().getEntry(entity);
        return entry != null
                && entry.isExistsInDatabase()
                && (entry.getStatus() == Status.MANAGED || entry.getStatus() == Status.READ_ONLY)
                && !entry.getLockMode().greaterThan(LockMode.READ)
                && !entry.getPersister().hasCascades()
                && !entry.getPersister().hasCollections()
                && !isChanged(new Loaded(entity, entry, true));
    }

    /** Reads loaded entities again, and makes the session read others from the database until the transaction ends. */
    void renew(@Nullable EntityLock lock, Consumer<Runnable> atEnd) {
        try {
            List<Loaded> loaded = lock != null && lock.isCalled() ? List.of() : loaded();
            // A refresh of an entity drops pending changes of its collections and of the entities that it cascades to.
            if (loaded.stream()
                    .map(each -> each.entry().getPersister())
                    .anyMatch(persister -> persister.hasCascades() || persister.hasCollections())) {
                session.flush();
            }
            // An entity that is changed, but was not rejected, has to keep its change.
            loaded.stream().filter(each -> !isChanged(each)).forEach(each -> session.refresh(each.entity()));
            boolean isCached = false;
            for (Map.Entry<String, Set<List<String>>> each : locked.rows().entrySet()) {
                HibernateEntities entities = entities(each.getKey());
                entities.load(session, locked.columns(each.getKey()), each.getValue());
                isCached |= entities.isCached();
            }
            if (isCached) {
                passTheCacheBy(atEnd);
            }
        } catch (RuntimeException e) {
            throw DataAccessUtils.translateIfNecessary(e, translator);
        }
    }

    /** Bypasses the second-level cache. {@code find} follows the property, and all other reads follow the mode. */
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

    private HibernateEntities entities(String table) {
        return HibernateEntities.of(session.getFactory(), table);
    }

    /**
     * Returns the locked rows that the session has loaded. It leaves out those that it knows to be missing in the
     * database.
     */
    private List<Loaded> loaded() {
        PersistenceContext context = session.getPersistenceContextInternal();
        List<Loaded> loaded = new ArrayList<>();
        locked.rows().forEach((table, ids) -> {
            Set<String> names = entities(table).names();
            if (names.isEmpty() || context.getNumberOfManagedEntities() == 0) {
                return;
            }
            List<String> columns = locked.columns(table);
            for (Map.Entry<Object, EntityEntry> each : context.reentrantSafeEntityEntries()) {
                EntityEntry entry = each.getValue();
                if (names.contains(entry.getEntityName())
                        && entry.isExistsInDatabase()
                        && (entry.getStatus() == Status.MANAGED || entry.getStatus() == Status.READ_ONLY)) {
                    List<String> id = id(entry, columns);
                    if (id.isEmpty() || ids.isEmpty() || ids.contains(id)) {
                        loaded.add(new Loaded(each.getKey(), entry, ids.contains(id)));
                    }
                }
            }
        });
        return loaded;
    }

    List<String> idColumns() {
        return locked.rows().keySet().stream()
                .flatMap(table -> entities(table).idColumns().stream())
                .toList();
    }

    /**
     * Returns the id as its columns have it; empty if no key can have such a type.
     *
     * @param columns the columns of an id of several, in their order, which may differ from that of the mapping
     */
    private List<String> id(EntityEntry entry, List<String> columns) {
        List<Object> parts = new ArrayList<>();
        int unused = entry.getPersister()
                .getIdentifierMapping()
                .forEachJdbcValue(entry.getId(), (index, value, column) -> parts.add(stored(value, column)), session);
        try {
            List<String> mapped = columns.size() < 2 ? List.of() : HibernateEntities.idColumns(entry.getPersister());
            return LockKey.row(
                            "any",
                            columns.size() < 2
                                    ? parts
                                    : columns.stream()
                                            .map(column -> parts.get(mapped.indexOf(column)))
                                            .toList())
                    .id();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return List.of();
        }
    }

    /**
     * Returns the stored value. An enum may be stored as its name or its number, and a custom type decides by itself.
     */
    private Object stored(Object value, JdbcMapping column) {
        boolean isStoredAsItIs = BeanUtils.isSimpleValueType(value.getClass()) && !(value instanceof Enum);
        Class<?> stored = isStoredAsItIs ? null : column.getJdbcType().getPreferredJavaTypeClass(session);
        return stored == null ? value : unwrapped(column.getJdbcJavaType(), value, stored);
    }

    private <T> Object unwrapped(JavaType<T> type, Object value, Class<?> stored) {
        try {
            return type.unwrap(type.getJavaTypeClass().cast(value), stored, session);
        } catch (HibernateException | ClassCastException e) {
            return value;
        }
    }
}
