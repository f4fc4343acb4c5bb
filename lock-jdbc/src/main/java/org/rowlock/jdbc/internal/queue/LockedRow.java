package org.rowlock.jdbc.internal.queue;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.jdbc.internal.session.PrimaryKeys;
import org.rowlock.jdbc.internal.statement.Binds;
import org.rowlock.jdbc.internal.statement.RowKey;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;

/**
 * The row that a statement locks.
 *
 * @param primaryKey of its table
 */
record LockedRow(Recognised statement, PrimaryKeys.Found primaryKey, RowKey key, Binds binds) {
    /** The same of the same row of a database, by whatever name its table is called. */
    int hash(int database) {
        return 31 * (31 * database + Long.hashCode(primaryKey.table())) + binds.hash(key);
    }

    /** Its table, and its key in brackets. */
    String text() {
        return statement.table() + '(' + binds.text(key) + ')';
    }

    /**
     * Whether a lock may go in front. With more conditions a row that is there may not be found: a stale version is to
     * fail at once, and keeps nobody out.
     */
    boolean isFrontable() {
        return statement.hasOnly(key) && !primaryKey.isCitus();
    }

    /**
     * The key that goes in front.
     *
     * @throws IllegalArgumentException if the key format has no such value
     */
    long frontKey(@Nullable String searchPath) {
        List<Object> parts = new ArrayList<>(key.values().size());
        key.values().forEach(value -> parts.add(binds.value(value)));
        return FrontSql.key(
                searchPath,
                statement.table(),
                LockKey.row(statement.table(), parts).id());
    }
}
