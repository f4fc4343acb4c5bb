package org.rowlock.internal.request;

import java.util.List;
import java.util.Map;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;

/**
 * The configuration of a {@link RowLocks}. Tables are in their one spelling.
 *
 * @param defaultStrategy of the tables that have none of their own
 * @param budget the most distinct advisory locks of a call
 * @param names how messages name keys
 */
public record LockConfig(
        LockStrategy defaultStrategy,
        Map<String, LockStrategy> strategies,
        Map<String, List<String>> idColumns,
        int budget,
        KeyNames names) {

    public LockStrategy strategyOf(LockKey key) {
        return key instanceof LockKey.Row row ? strategyOf(row.table()) : LockStrategy.ADVISORY;
    }

    public LockStrategy strategyOf(String table) {
        return strategies.getOrDefault(table, defaultStrategy);
    }

    public List<String> idColumnsOf(String table) {
        return idColumns.getOrDefault(table, List.of());
    }
}
