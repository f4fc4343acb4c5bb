package org.rowlock.internal.acquire;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.rowlock.LockBudgetExceededException;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.IdColumns;
import org.rowlock.internal.text.Exceptions;

/**
 * Makes a request of the caller's keys: distinct, by strategy, within the budget, and with the id columns of rows.
 *
 * @param tables the tables whose rows are locked
 */
public record LockRequests(LockConfig config, KnownTables tables) {
    /** Of the statements, and so of the locks: by table, the strongest mode first. */
    private static final Comparator<RowGroup> STATEMENT_ORDER =
            Comparator.comparing((RowGroup group) -> group.table().name()).thenComparing(RowGroup::mode);

    public LockRequests(LockConfig config) {
        this(config, new IdColumns());
    }

    /** Of another configuration, on the same databases. */
    public LockRequests(LockConfig config, IdColumns idColumns) {
        this(config, new KnownTables(config, idColumns));
    }

    /** Sorts; runs no SQL. {@link KnownTables#withIdColumns} must follow. */
    public ResolvedRequest of(LockRequest request, LockWait wait) {
        List<LockKey> keys = request.keys();
        if (keys.size() > 1) {
            return ofSeveral(request, wait, config.strategyOf(keys));
        }
        LockKey key = keys.get(0);
        LockStrategy strategy = config.strategyOf(key);
        AdvisoryKeys advisory = strategy.takesAdvisoryLock() ? AdvisoryKeys.of(keys) : AdvisoryKeys.NONE;
        List<LockKey.Row> spelled = strategy.takesRowLock() ? request.rows() : List.of();
        List<RowGroup> rows = spelled.isEmpty()
                ? List.of()
                : List.of(new RowGroup(RowTable.named(spelled.get(0).table()), request.mode(), spelled));
        return resolved(request, wait, strategy, advisory, rows, strategy.takesRowLock());
    }

    private ResolvedRequest resolved(
            LockRequest request,
            LockWait wait,
            LockStrategy strategy,
            AdvisoryKeys advisory,
            List<RowGroup> rows,
            boolean anyIsolation) {
        List<LockKey> keys = request.keys();
        RowLockMode mode = request.mode();
        boolean rowRequired = request.isRowRequired();
        List<RowGroup> none = List.of();
        KeyNames names = config.names();
        return new ResolvedRequest(
                keys, mode, wait, strategy, advisory, rows, none, List.of(), anyIsolation, rowRequired, names, null);
    }

    private ResolvedRequest ofSeveral(LockRequest request, LockWait wait, LockStrategy strategy) {
        List<LockKey> keys = request.keys();
        RowLockMode mode = request.mode();
        List<LockKey> advisory = new ArrayList<>(keys.size());
        List<RowGroup> rows = new ArrayList<>(1);
        boolean anyIsolation = true;
        for (LockKey key : keys) {
            LockStrategy own = config.strategyOf(key);
            if (own.takesAdvisoryLock()) {
                advisory.add(key);
                anyIsolation &= own.takesRowLock();
            }
        }
        for (LockKey.Row row : request.rows()) {
            if (config.strategyOf(row).takesRowLock()) {
                groupOf(rows, row.table(), request.modeOf(row)).keys().add(row);
            }
        }
        rows.sort(STATEMENT_ORDER);
        boolean mixed = keys.stream().anyMatch(key -> request.modeOf(key) != mode);
        AdvisoryKeys split = mixed ? AdvisoryKeys.mixed(advisory, request) : AdvisoryKeys.of(advisory);
        ResolvedRequest resolved = resolved(request, wait, strategy, split, rows, anyIsolation);
        if (advisory.size() > config.budget()) {
            throw overBudget(resolved);
        }
        return resolved;
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

    private LockBudgetExceededException overBudget(ResolvedRequest request) {
        int asked = request.advisory().keys().size();
        return Exceptions.overBudget(
                "Cannot lock " + request.describe() + ": that is " + asked
                        + " distinct advisory locks in one call, and"
                        + " the budget is " + config.budget()
                        + ", since a full lock table refuses every session of the"
                        + " server. Lock fewer keys, a key that stands for them all, or raise the budget with"
                        + " RowLocks.builder().lockBudget() after max_locks_per_transaction.",
                asked);
    }
}
