package org.rowlock.internal.request;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.text.Exceptions;
import org.rowlock.internal.text.SqlState;

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
    /** Of the statements, and so of the locks: by table, the strongest mode first. */
    private static final Comparator<RowGroup> STATEMENT_ORDER =
            Comparator.comparing((RowGroup group) -> group.table().name()).thenComparing(RowGroup::mode);

    public LockStrategy strategyOf(LockKey key) {
        return key instanceof LockKey.Row row ? strategyOf(row.table()) : LockStrategy.ADVISORY;
    }

    public LockStrategy strategyOf(String table) {
        return strategies.getOrDefault(table, defaultStrategy);
    }

    /** One strategy, or BOTH where keys of several are locked together, since both kinds of lock are taken. */
    public LockStrategy strategyOf(List<LockKey> keys) {
        LockStrategy first = strategyOf(keys.get(0));
        return keys.size() == 1 || keys.stream().allMatch(key -> strategyOf(key) == first) ? first : LockStrategy.BOTH;
    }

    /** Whether any table is locked by its key alone. */
    public boolean isAnyTableAdvisory() {
        return defaultStrategy == LockStrategy.ADVISORY || strategies.containsValue(LockStrategy.ADVISORY);
    }

    public Set<String> tables() {
        Set<String> tables = new TreeSet<>(strategies.keySet());
        tables.addAll(idColumns.keySet());
        return tables;
    }

    public List<String> idColumnsOf(String table) {
        return idColumns.getOrDefault(table, List.of());
    }

    /**
     * Splits the keys of a request by strategy, within the budget. Its tables are not looked up yet, and of its inserts
     * it knows nothing.
     */
    public ResolvedRequest resolve(LockRequest request, LockWait wait) {
        List<LockKey> keys = request.keys();
        LockStrategy strategy = strategyOf(keys);
        if (keys.size() > 1) {
            return ofSeveral(request, wait, strategy);
        }
        AdvisoryKeys advisory = strategy != LockStrategy.ROW ? AdvisoryKeys.of(keys) : AdvisoryKeys.NONE;
        List<LockKey.Row> spelled = strategy != LockStrategy.ADVISORY ? request.rows() : List.of();
        List<RowGroup> rows = spelled.isEmpty()
                ? List.of()
                : List.of(new RowGroup(RowTable.named(spelled.get(0).table()), request.mode(), spelled));
        return new ResolvedRequest(request, wait, strategy, names, advisory, rows, strategy != LockStrategy.ADVISORY);
    }

    private ResolvedRequest ofSeveral(LockRequest request, LockWait wait, LockStrategy strategy) {
        List<LockKey> advisory = new ArrayList<>(request.keys().size());
        List<RowGroup> rows = new ArrayList<>(1);
        boolean anyIsolation = true;
        for (LockKey key : request.keys()) {
            LockStrategy own = strategyOf(key);
            if (own != LockStrategy.ROW) {
                advisory.add(key);
                anyIsolation &= own != LockStrategy.ADVISORY;
            }
        }
        for (LockKey.Row row : request.rows()) {
            if (strategyOf(row) != LockStrategy.ADVISORY) {
                groupOf(rows, row.table(), request.modeOf(row)).keys().add(row);
            }
        }
        rows.sort(STATEMENT_ORDER);
        boolean mixed = request.keys().stream().anyMatch(key -> request.modeOf(key) != request.mode());
        AdvisoryKeys split = mixed ? AdvisoryKeys.mixed(advisory, request) : AdvisoryKeys.of(advisory);
        ResolvedRequest resolved = new ResolvedRequest(request, wait, strategy, names, split, rows, anyIsolation);
        if (advisory.size() > budget) {
            throw overBudget(
                    "lock " + resolved.describe() + ": that is " + advisory.size() + " distinct advisory locks",
                    "Lock fewer keys, or a key that stands for them all");
        }
        return resolved;
    }

    /** The exception for more advisory locks in one call than the budget. */
    public LockTargetException overBudget(String what, String advice) {
        return Exceptions.of(
                LockTargetException.class,
                "Cannot " + what + " in one call, and the budget is " + budget + ", since a full lock table refuses"
                        + " every session of the server. " + advice + ", or raise the budget with"
                        + " RowLocks.builder().lockBudget() after max_locks_per_transaction.",
                SqlState.PROGRAM_LIMIT_EXCEEDED,
                null);
    }

    /** The rows that one FOR UPDATE statement can lock; those of the row before are the last of the groups. */
    private static RowGroup groupOf(List<RowGroup> groups, String table, RowLockMode mode) {
        for (int i = groups.size() - 1; i >= 0; i--) {
            RowGroup group = groups.get(i);
            if (group.mode() == mode && group.table().name().equals(table)) {
                return group;
            }
        }
        RowGroup group = new RowGroup(RowTable.named(table), mode, new ArrayList<>());
        groups.add(group);
        return group;
    }
}
