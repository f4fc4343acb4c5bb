package org.rowlock.spring.internal.jpa;

import jakarta.persistence.CacheRetrieveMode;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.hibernate.CacheMode;
import org.hibernate.FlushMode;
import org.hibernate.Hibernate;
import org.hibernate.HibernateException;
import org.hibernate.LockMode;
import org.hibernate.LockOptions;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.EntityKey;
import org.hibernate.engine.spi.LoadQueryInfluencers;
import org.hibernate.engine.spi.PersistenceContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.request.RowStatement;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.beans.BeanUtils;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * A session of Hibernate that belongs to the running transaction. After a lock, the entities of the locked rows are
 * read again, and the second-level cache is bypassed, as for {@code PESSIMISTIC_WRITE}.
 *
 * @param locked the locked rows
 */
record HibernateSession(SessionImplementor session, SessionCaches locked) {
    private static final PersistenceExceptionTranslator TRANSLATOR = new HibernateJpaDialect();

    private static final String RETRIEVE = "jakarta.persistence.cache.retrieveMode";

    /** The DataSource of each factory, kept until a garbage collection, because Spring finds it by reflection. */
    private static final Map<EntityManagerFactoryInfo, Optional<DataSource>> SOURCES =
            new ConcurrentReferenceHashMap<>(4, ConcurrentReferenceHashMap.ReferenceType.WEAK);

    /** Hibernate's lock modes of an entity whose row the transaction has already locked or written. */
    private static final Set<LockMode> HELD =
            Set.of(LockMode.PESSIMISTIC_WRITE, LockMode.PESSIMISTIC_FORCE_INCREMENT, LockMode.WRITE);

    /**
     * @param surely whether the entity's id is certainly one of the keys
     * @param late whether the key is another spelling of the entity's id, which only the locked row has shown
     */
    private record Loaded(Object entity, EntityEntry entry, boolean surely, boolean late) {}

    /** Returns the open Hibernate session in a holder that Spring has bound to the thread; null if there is none. */
    static @Nullable SessionImplementor session(@Nullable Object holder) {
        try {
            return holder instanceof EntityManagerHolder bound
                    ? bound.getEntityManager().unwrap(SessionImplementor.class)
                    : null;
        } catch (PersistenceException | IllegalStateException e) {
            return null;
        }
    }

    /** Returns the open Hibernate session in a holder; null if there is none, or it belongs to another DataSource. */
    static @Nullable HibernateSession of(Object factory, @Nullable Object holder, SessionCaches locked) {
        SessionImplementor session = isElsewhere(factory, locked.dataSource) ? null : session(holder);
        return session == null ? null : new HibernateSession(session, locked);
    }

    /** Whether the Hibernate session in a holder has a connection. */
    static boolean hasConnection(Object holder) {
        SessionImplementor session = session(holder);
        return session != null
                && session.getJdbcCoordinator().getLogicalConnection().isPhysicallyConnected();
    }

    /** Whether a factory belongs to Hibernate, and not to another JPA provider. */
    static boolean isOfHibernate(EntityManagerFactory factory) {
        try {
            return factory.unwrap(SessionFactoryImplementor.class) != null;
        } catch (PersistenceException e) {
            return false;
        }
    }

    private static boolean isElsewhere(Object factory, DataSource dataSource) {
        DataSource own = factory instanceof EntityManagerFactoryInfo info
                ? SOURCES.computeIfAbsent(info, any -> Optional.ofNullable(info.getDataSource()))
                        .orElse(null)
                : null;
        return own != null && !Pools.bound(own).equals(Pools.bound(dataSource));
    }

    /**
     * Rejects the lock if the session loaded an entity of the rows without a lock and the entity has changed. Also
     * rejects a table that contains only a part of each entity, because the row of the root table must be locked
     * instead.
     */
    void refuse() {
        for (String table : locked.rows.keySet()) {
            HibernateTables.refuseParts(locked.what, table, entities(table));
        }
        for (Loaded each : loaded()) {
            if (each.surely() && !HELD.contains(each.entry().getLockMode()) && isChanged(each)) {
                throw refused(each);
            }
        }
    }

    private InvalidDataAccessApiUsageException refused(Loaded changed) {
        return new InvalidDataAccessApiUsageException(locked.what + ": the entity "
                + changed.entry().getEntityName() + " with the id "
                + changed.entry().getId()
                + " was loaded before the lock and has been changed since, so the change may be based on values"
                + " that the row no longer has. Lock before the entity is read, or flush the change before the"
                + " lock.");
    }

    private boolean isChanged(Loaded loaded) {
        EntityPersister persister = loaded.entry().getPersister();
        Object[] before = loaded.entry().getLoadedState();
        return before != null
                && (persister.findDirty(persister.getValues(loaded.entity()), before, loaded.entity(), session) != null
                        || hasChangedCollection(loaded.entity()));
    }

    /**
     * Whether a collection that the entity owns has changed. A collection with {@code mappedBy} is ignored, because
     * Hibernate stores a change of such a collection only in the rows of the elements.
     */
    @SuppressWarnings("ReferenceEquality")
    private boolean hasChangedCollection(Object owner) {
        boolean[] changed = new boolean[1];
        session.getPersistenceContextInternal()
                .forEachCollectionEntry(
                        (collection, entry) -> changed[0] |= collection.getOwner() == owner
                                && collection.isDirty()
                                && entry.getLoadedPersister() != null
                                && !entry.getLoadedPersister().isInverse(),
                        false);
        return changed[0];
    }

    /**
     * Returns JPA's lock for the rows of a request. Returns null if JPA would not lock and read the rows as Rowlock
     * does.
     *
     * @param connection the connection of the transaction; the session must use this connection too, and not the
     *     connection of an outer transaction
     */
    @Nullable
    EntityLock lockOf(String table, RequestParts request, Connection connection) {
        EntityFind find = entities(table).find();
        LockMode asked = find == null ? null : find.modes().get(request.mode());
        LoadQueryInfluencers influencers = session.getLoadQueryInfluencers();
        if (find == null
                || asked == null
                || find.unfit().get()
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
            Map<Object, LockKey> ids = find.ids(root, table, request.keys());
            PersistenceContext context = session.getPersistenceContextInternal();
            Object known = null;
            boolean areUnknown = true;
            boolean isAlone = context.getNumberOfManagedEntities() == 0;
            for (Object id : ids.keySet()) {
                EntityKey key = session.generateEntityKey(id, root);
                known = context.getEntity(key);
                areUnknown &= known == null && !context.containsDeletedUnloadedEntityKey(key);
                isAlone &= context.getProxy(key) == null;
            }
            // The session may have loaded the entity under an id with trailing spaces. The lock would not read it
            // again.
            boolean isRead = areUnknown
                    ? !ids.isEmpty() && loaded().isEmpty()
                    : ids.size() == 1 && known != null && isReadAgain(known);
            return isRead ? new EntityLock(session, find, asked, ids, known, isAlone, new AtomicBoolean()) : null;
        } catch (IllegalArgumentException | HibernateException e) {
            return null; // Rowlock's own statement then reports the fault in the id.
        }
    }

    /**
     * Locks rows through JPA, and reads their entities in the same round trip. An instance belongs to one call.
     *
     * @param ids the ids of the entities, with the keys of their rows
     * @param loaded the entity of the only row if the session has loaded it and must read it again; otherwise null
     * @param isAlone whether nothing in the session can refer to the entities that the lock reads
     * @param called whether {@link #lock} was called. If so, the entities have been read under the lock
     */
    record EntityLock(
            SessionImplementor session,
            EntityFind find,
            LockMode mode,
            Map<Object, LockKey> ids,
            @Nullable Object loaded,
            boolean isAlone,
            AtomicBoolean called)
            implements RowStatement {
        @Override
        public String idColumn() {
            return find.idColumn();
        }

        @Override
        public List<LockKey> lock() throws SQLException {
            called.set(true);
            try {
                if (loaded != null) {
                    session.refresh(loaded, new LockOptions(mode));
                    return List.of();
                }
                return find.lock(session, ids, mode);
            } catch (RuntimeException e) {
                for (Throwable each = e; each != null; each = each.getCause()) {
                    if (each instanceof SQLException ofDriver) {
                        throw ofDriver;
                    }
                }
                throw DataAccessUtils.translateIfNecessary(e, TRANSLATOR);
            }
        }
    }

    /**
     * Whether a refresh locks the entity, and loses no pending change of the entity or of entities to which the refresh
     * cascades. The result is false if the session records a lock mode above READ for the entity. Hibernate may then
     * send no lock, even if a rollback to a savepoint has released the recorded lock, or a join never acquired it.
     */
    private boolean isReadAgain(Object entity) {
        EntityEntry entry = session.getPersistenceContextInternal().getEntry(entity);
        return entry != null
                && isRead(entity, entry)
                && !entry.getLockMode().greaterThan(LockMode.READ)
                && !entry.getPersister().hasCascades()
                && !entry.getPersister().hasCollections()
                && !isChanged(new Loaded(entity, entry, true, false));
    }

    /** Reads the loaded entities again, unless the lock itself has read them. */
    void renew(@Nullable EntityLock lock) {
        try {
            if (lock == null || !lock.called().get()) {
                refresh(loaded());
            } else if (lock.loaded() == null) {
                for (Loaded each : lock.isAlone() ? all() : loaded()) {
                    if (isChanged(each)) {
                        settle(lock);
                        return;
                    }
                }
            }
        } catch (RuntimeException e) {
            throw DataAccessUtils.translateIfNecessary(e, TRANSLATOR);
        }
    }

    /**
     * Keeps entities that only the lock has read from a later write. Hibernate writes an entity that differs from its
     * row since it was read, for example because of a PostLoad method. The write would undo what the transaction's SQL
     * changes after the lock.
     */
    private void settle(EntityLock lock) {
        lock.find().unfit().set(true);
        if (lock.isAlone()) {
            session.clear();
        } else if (session.getHibernateFlushMode() != FlushMode.MANUAL) {
            session.flush();
        }
    }

    /** Returns all loaded entities of the session. */
    private List<Loaded> all() {
        List<Loaded> all = new ArrayList<>(1);
        for (Map.Entry<Object, EntityEntry> each :
                session.getPersistenceContextInternal().reentrantSafeEntityEntries()) {
            if (isRead(each.getKey(), each.getValue())) {
                all.add(new Loaded(each.getKey(), each.getValue(), true, false));
            }
        }
        return all;
    }

    /**
     * Rejects the lock if an entity was loaded with PESSIMISTIC_WRITE, and both the entity and its row have changed
     * since. Hibernate 7 records this mode for joined entities too, but does not lock their rows. This method also
     * rejects a changed entity that {@link #refuse} did not find, because the key is another spelling of the entity's
     * id.
     */
    private void refuseStale(List<Loaded> loaded) {
        for (Loaded each : loaded) {
            EntityEntry entry = each.entry();
            if (each.late() && !HELD.contains(entry.getLockMode()) && isChanged(each)) {
                throw refused(each);
            }
            if (each.surely() && entry.getLockMode() == LockMode.PESSIMISTIC_WRITE && isChanged(each)) {
                Object[] stored = entry.getPersister().getDatabaseSnapshot(entry.getId(), session);
                if (stored == null
                        || entry.getPersister().findModified(stored, entry.getLoadedState(), each.entity(), session)
                                != null) {
                    throw refused(each);
                }
            }
        }
    }

    private void refresh(List<Loaded> loaded) {
        refuseStale(loaded);
        // A refresh drops pending changes of the entity's collections, and of entities to which the refresh cascades.
        // These changes are therefore written first.
        if (loaded.stream()
                .map(each -> each.entry().getPersister())
                .anyMatch(persister -> persister.hasCascades() || persister.hasCollections())) {
            boolean isManual = session.getHibernateFlushMode() == FlushMode.MANUAL;
            for (Loaded each : isManual ? all() : List.<Loaded>of()) {
                if (isChanged(each)) {
                    throw refused(each);
                }
            }
            session.flush();
        }
        // In Hibernate 6, the refresh of an entity with an optimistic mode adds this mode to all later refreshes.
        for (Loaded each : loaded.isEmpty() ? loaded : all()) {
            LockMode mode = each.entry().getLockMode();
            if (mode.greaterThan(LockMode.READ) && mode.lessThan(LockMode.WRITE)) {
                each.entry().setLockMode(LockMode.READ);
            }
        }
        // A changed entity that was not rejected must keep its change.
        loaded.stream().filter(each -> !isChanged(each)).forEach(each -> session.refresh(each.entity()));
    }

    /**
     * Bypasses the second-level cache until the transaction ends, if the cache may contain data of the locked rows. The
     * property {@link #RETRIEVE} applies to {@code find}, and the cache mode to all other reads.
     */
    void passTheCacheBy(Consumer<Runnable> atEnd) {
        boolean isCached = false;
        for (String table : locked.rows.keySet()) {
            isCached |= entities(table).isCached();
        }
        if (!isCached) {
            return;
        }
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

    /** Returns the loaded entities of the locked rows. New and deleted entities, and references, are excluded. */
    private List<Loaded> loaded() {
        PersistenceContext context = session.getPersistenceContextInternal();
        if (context.getNumberOfManagedEntities() == 0) {
            return List.of();
        }
        List<Loaded> loaded = new ArrayList<>();
        locked.rows.forEach((table, ids) -> {
            Set<String> names = entities(table).names();
            if (names.isEmpty()) {
                return;
            }
            List<String> columns = locked.columns(table);
            Set<List<String>> asked =
                    ids.stream().map(HibernateSession::unpadded).collect(Collectors.toSet());
            for (Map.Entry<Object, EntityEntry> each : context.reentrantSafeEntityEntries()) {
                EntityEntry entry = each.getValue();
                if (names.contains(entry.getEntityName()) && isRead(each.getKey(), entry)) {
                    List<String> id = unpadded(id(entry, columns));
                    boolean isAsked = asked.contains(id);
                    boolean late = !isAsked && !asked.isEmpty() && isSpelledOtherwise(entry, id, table);
                    if (id.isEmpty() || asked.isEmpty() || isAsked || late) {
                        loaded.add(new Loaded(each.getKey(), entry, isAsked || late, late));
                    }
                }
            }
        });
        return loaded;
    }

    /**
     * Whether the session has read the entity. With bytecode enhancement, a reference has no state until it is read. A
     * refresh would drop a change of an unread reference.
     */
    private static boolean isRead(Object entity, EntityEntry entry) {
        return entry.isExistsInDatabase()
                && (entry.getStatus() == Status.MANAGED || entry.getStatus() == Status.READ_ONLY)
                && Hibernate.isInitialized(entity);
    }

    /** Whether a locked row has this id, although the key spells it differently. */
    private boolean isSpelledOtherwise(EntityEntry entry, List<String> id, String table) {
        boolean[] isText = new boolean[1];
        int unused = entry.getPersister()
                .getIdentifierMapping()
                .forEachJdbcType(
                        (index, column) -> isText[0] |= column.getJdbcType().isString());
        return isText[0]
                && locked.stored(table).stream().map(HibernateSession::unpadded).anyMatch(id::equals);
    }

    /** Returns an id without trailing spaces. A column of type char(n) adds such spaces. Comparisons ignore them. */
    private static List<String> unpadded(List<String> id) {
        return id.stream().map(String::stripTrailing).toList();
    }

    List<String> idColumns() {
        return locked.rows.keySet().stream()
                .flatMap(table -> entities(table).idColumns().stream())
                .toList();
    }

    /**
     * Returns the id as stored in its columns; an empty list if the type of the id cannot be part of a key.
     *
     * @param columns the columns of a composite id in the order of the key, which may differ from the order in the
     *     mapping
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
     * Returns a value of the entity in the form in which its column stores the value. An enum may be stored as its name
     * or its number. A Currency or a Locale is stored as its code. A custom type may convert the value.
     */
    private Object stored(Object value, JdbcMapping column) {
        boolean isCode = value instanceof Enum || value instanceof Currency || value instanceof Locale;
        boolean isStoredAsItIs = BeanUtils.isSimpleValueType(value.getClass()) && !isCode;
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
