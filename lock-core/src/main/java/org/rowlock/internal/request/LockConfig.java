package org.rowlock.internal.request;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.internal.text.SqlState;

/** The configuration of one {@code RowLocks} object. Table names are normalized. */
public record LockConfig(
        LockStrategy defaultStrategy,
        Map<String, LockStrategy> strategies,
        Map<String, List<String>> idColumns,
        int budget) {
    public LockStrategy strategyOf(LockKey key) {
        return key instanceof LockKey.Row row ? strategyOf(row.table()) : LockStrategy.ADVISORY;
    }

    public LockStrategy strategyOf(String table) {
        return strategies.getOrDefault(table, defaultStrategy);
    }

    /** Returns the strategy of the keys; BOTH if they have different strategies. */
    public LockStrategy strategyOf(List<LockKey> keys) {
        LockStrategy first = strategyOf(keys.get(0));
        return keys.size() == 1 || keys.stream().allMatch(key -> strategyOf(key) == first) ? first : LockStrategy.BOTH;
    }

    public List<LockKey> advisory(List<LockKey> keys) {
        if (keys.size() == 1) {
            return strategyOf(keys.get(0)) == LockStrategy.ROW ? List.of() : keys;
        }
        return keys.stream().filter(key -> strategyOf(key) != LockStrategy.ROW).toList();
    }

    public boolean isAnyTableAdvisory() {
        return defaultStrategy == LockStrategy.ADVISORY || strategies.containsValue(LockStrategy.ADVISORY);
    }

    /** Returns the normalized names of the tables that have a configuration of their own. */
    public Set<String> tables() {
        Set<String> tables = new TreeSet<>(strategies.keySet());
        tables.addAll(idColumns.keySet());
        return tables;
    }

    /** Returns the configured id columns of a table; empty if the primary key is used. */
    public List<String> idColumnsOf(String table) {
        return idColumns.getOrDefault(table, List.of());
    }

    public LockTargetException overBudget(String what, String advice) {
        return new LockTargetException(
                "Cannot " + what + " in one call, but the budget is " + budget + ", because a full lock table makes"
                        + " every session of the server fail. " + advice + ", or raise max_locks_per_transaction of the"
                        + " server and then the budget: RowLocks.builder(..).lockBudget() (with Spring Boot"
                        + " rowlock.lock-budget).",
                SqlState.PROGRAM_LIMIT_EXCEEDED,
                null);
    }
}
