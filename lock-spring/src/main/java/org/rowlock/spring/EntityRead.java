package org.rowlock.spring;

import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Sees to it that what a method finds behind its lock is what the database has there. Thread-safe. */
interface EntityRead {
    /**
     * Reads entities in the running transaction, if that is one of their entity manager factory.
     *
     * @param ids as the caller has them
     * @param dataSource where they are locked
     * @throws IllegalArgumentException if an id is none of the entity's
     */
    void behindLock(List<? extends @Nullable Object> ids, DataSource dataSource);
}
