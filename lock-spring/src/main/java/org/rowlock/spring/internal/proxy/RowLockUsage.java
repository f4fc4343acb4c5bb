package org.rowlock.spring.internal.proxy;

import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockWait;
import org.rowlock.spring.internal.annotation.RowLockDefinition;

/**
 * A {@link org.rowlock.spring.RowLock} that was found.
 *
 * @param lockWait null for the configured default
 * @param dataSource looked up when first needed: the transaction manager may not be there yet
 */
public record RowLockUsage(
        String bean, RowLockDefinition definition, @Nullable LockWait lockWait, Supplier<DataSource> dataSource) {
    /** Class, name and parameter types. */
    public String method() {
        return definition.where();
    }

    public String table() {
        return definition.table().get();
    }
}
