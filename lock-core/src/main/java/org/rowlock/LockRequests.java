package org.rowlock;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.rowlock.LockRequest.RowGroup;

/** Makes a request of the caller's keys: distinct, by strategy, within the budget, and with the id columns of rows. */
final class LockRequests {
    private final LockConfig config;
    private final PrimaryKeys primaryKeys = new PrimaryKeys();

    LockRequests(LockConfig config) {
        this.config = config;
    }

    /** Checks and sorts; runs no SQL. {@link #withIdColumns} must follow. */
    LockRequest of(LockKey key, RowLockMode mode, LockWait wait) {
        KeyModes.check(mode, wait);
        if (key == null) {
            throw new IllegalArgumentException("The key is null; make one with LockKey.row(table, id)");
        }
        LockStrategy strategy = config.strategyOf(key);
        List<LockKey> keys = List.of(key);
        AdvisoryKeys advisory = strategy.takesAdvisoryLock() ? AdvisoryKeys.of(keys) : AdvisoryKeys.NONE;
        List<RowGroup> rows = strategy.takesRowLock() && key instanceof LockKey.Row row
                ? List.of(new RowGroup(RowTable.named(row.table()), mode, List.of(row)))
                : List.of();
        return new LockRequest(keys, mode, wait, strategy, advisory, rows, strategy.takesRowLock());
    }

    /** Checks and sorts; runs no SQL. {@link #withIdColumns} must follow. */
    LockRequest of(Collection<? extends LockKey> keys, RowLockMode mode, LockWait wait) {
        KeyModes.check(mode, wait);
        List<LockKey> list = KeyModes.distinct(keys);
        return of(list, mode, Map.of(), wait, strategyOf(list));
    }

    /** Checks and sorts; runs no SQL. {@link #withIdColumns} must follow. */
    LockRequest of(Map<? extends LockKey, RowLockMode> modes, LockWait wait) {
        KeyModes keys = KeyModes.of(modes);
        KeyModes.check(keys.strongest(), wait);
        return of(keys.keys(), keys.strongest(), keys.each(), wait, strategyOf(keys.keys()));
    }

    /** The strategy of a key. */
    LockStrategy strategyOf(LockKey key) {
        return config.strategyOf(key);
    }

    Set<String> configuredTables() {
        Set<String> tables = new TreeSet<>(config.strategies().keySet());
        tables.addAll(config.idColumns().keySet());
        return tables;
    }

    List<String> configuredIdColumns(String table) {
        return config.idColumnsOf(table);
    }

    /** The strategy of a claim's table. */
    LockStrategy strategyOf(Claim claim) {
        return config.strategyOf(claim.table());
    }

    /** The id columns of a claim's table: its own, the configured ones, or the primary key. */
    RowTable tableOf(PgSession session, Claim claim) throws SQLException {
        List<String> given = claim.idColumns().isEmpty() ? config.idColumnsOf(claim.table()) : claim.idColumns();
        return primaryKeys.of(session, claim.table(), given);
    }

    int budget() {
        return config.budget();
    }

    /** Forgets the id columns of the request's tables. */
    void forgetTables(LockRequest request) {
        request.rows().forEach(group -> forgetTable(group.table().name()));
    }

    void forgetTable(String table) {
        primaryKeys.forget(table);
    }

    /**
     * Splits the keys by the kind of lock.
     *
     * @param modes that of each key where they have several; empty where all have {@code mode}
     */
    private LockRequest of(
            List<LockKey> keys,
            RowLockMode mode,
            Map<LockKey, RowLockMode> modes,
            LockWait wait,
            LockStrategy strategy) {
        boolean fallBack = isBeyondBudget(keys) && config.rowLocksAloneBeyondBudget();
        List<LockKey> advisory = new ArrayList<>(keys.size());
        Map<TableMode, List<LockKey.Row>> rows = new TreeMap<>(TableMode.ORDER);
        boolean anyIsolation = true;
        for (LockKey key : keys) {
            LockStrategy own = config.strategyOf(key);
            if (own.takesAdvisoryLock() && !(fallBack && own == LockStrategy.BOTH)) {
                advisory.add(key);
                anyIsolation &= own.takesRowLock();
            }
            if (own.takesRowLock() && key instanceof LockKey.Row row) {
                TableMode place = new TableMode(row.table(), modes.getOrDefault(key, mode));
                rows.computeIfAbsent(place, of -> new ArrayList<>(1)).add(row);
            }
        }
        List<RowGroup> groups = new ArrayList<>(rows.size());
        rows.forEach((place, of) -> groups.add(new RowGroup(RowTable.named(place.table()), place.mode(), of)));
        LockRequest request = new LockRequest(
                keys,
                mode,
                wait,
                strategy,
                modes.isEmpty() ? AdvisoryKeys.of(advisory) : AdvisoryKeys.mixed(advisory, modes),
                groups,
                anyIsolation);
        if (advisory.size() > config.budget()) {
            throw overBudget(request);
        }
        return request;
    }

    /** What one FOR UPDATE statement can lock. Its order is that of the statements, by table, the strongest mode first. */
    private record TableMode(String table, RowLockMode mode) {
        static final Comparator<TableMode> ORDER =
                Comparator.comparing(TableMode::table).thenComparing(TableMode::mode);
    }

    private boolean isBeyondBudget(List<LockKey> keys) {
        return keys.size() > config.budget()
                && keys.stream()
                                .filter(key -> config.strategyOf(key).takesAdvisoryLock())
                                .count()
                        > config.budget();
    }

    /** The request with the id columns of the tables whose rows are locked; asks the server for those it does not know. */
    LockRequest withIdColumns(PgSession session, LockRequest request) {
        if (request.rows().isEmpty()) {
            return request;
        }
        List<RowGroup> groups = new ArrayList<>(request.rows().size());
        for (RowGroup group : request.rows()) {
            String name = group.table().name();
            RowTable table;
            try {
                table = primaryKeys.of(session, name, config.idColumnsOf(name));
            } catch (SQLException e) {
                throw LockErrors.translate(request.asked(session.isHotStandby()), e);
            }
            for (LockKey.Row key : group.keys()) {
                if (key.id().size() != table.columns().size()) {
                    throw wrongParts(key, table);
                }
            }
            groups.add(new RowGroup(table, group.mode(), group.keys()));
        }
        return request.withRows(groups);
    }

    /** One strategy, or BOTH where keys of several are locked together, since both kinds of lock are taken. */
    private LockStrategy strategyOf(List<LockKey> keys) {
        LockStrategy first = config.strategyOf(keys.get(0));
        return keys.stream().allMatch(key -> config.strategyOf(key) == first) ? first : LockStrategy.BOTH;
    }

    private LockBudgetExceededException overBudget(LockRequest request) {
        int asked = request.advisory().keys().size();
        return new LockBudgetExceededException(
                "Cannot lock " + request.describe() + ": that is " + asked + " distinct advisory locks in one call, and"
                        + " the budget is " + config.budget() + ", since a full lock table refuses every session of the"
                        + " server. Lock fewer keys, a key that stands for them all, or raise the budget with"
                        + " RowLocks.builder().lockBudget() after max_locks_per_transaction.",
                asked);
    }

    private static LockTargetException wrongParts(LockKey.Row key, RowTable table) {
        return new LockTargetException(
                "Cannot lock " + key + ": the id has " + key.id().size() + " part(s), and the id of "
                        + table.name() + " is "
                        + table.columns().stream().map(RowTable.Column::name).toList()
                        + ". Give one value per column, in that order.",
                null,
                null);
    }
}
