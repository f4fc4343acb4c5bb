package org.rowlock.spring.internal.jpa;

import jakarta.persistence.LockModeType;
import java.sql.SQLException;
import org.hibernate.engine.spi.SessionImplementor;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.RowStatement;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.dao.support.PersistenceExceptionTranslator;

/** Locks one row through JPA, and reads its entity in the same round trip. An instance belongs to one call. */
final class EntityLock implements RowStatement {
    private final SessionImplementor session;
    private final PersistenceExceptionTranslator translator;
    private final EntityFind find;
    private final LockModeType mode;
    private final Object id;
    private final @Nullable Object loaded;
    private boolean called;

    /**
     * @param loaded the entity of the row if the session has already loaded it, so that it must be read again;
     *     otherwise null
     */
    EntityLock(
            SessionImplementor session,
            PersistenceExceptionTranslator translator,
            EntityFind find,
            LockModeType mode,
            Object id,
            @Nullable Object loaded) {
        this.session = session;
        this.translator = translator;
        this.find = find;
        this.mode = mode;
        this.id = id;
        this.loaded = loaded;
    }

    @Override
    public String idColumn() {
        return find.idColumn();
    }

    @Override
    public boolean lock() throws SQLException {
        called = true;
        try {
            if (loaded == null) {
                return session.find(find.entity(), id, mode, EntityFind.HINTS) != null;
            }
            session.refresh(loaded, mode, EntityFind.HINTS);
            return true;
        } catch (RuntimeException e) {
            for (Throwable each = e; each != null; each = each.getCause()) {
                if (each instanceof SQLException ofDriver) {
                    throw ofDriver;
                }
            }
            throw DataAccessUtils.translateIfNecessary(e, translator);
        }
    }

    /** Whether {@link #lock} was called. If so, the entity has been read under the lock. */
    boolean isCalled() {
        return called;
    }
}
