package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.rowlock.Claim;
import org.rowlock.LockBudgetExceededException;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys;
import org.rowlock.internal.request.KeyModes;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.CitusDatabases;
import org.rowlock.internal.session.PgSession;

/** Makes a request of the caller's keys: distinct, by strategy, within the budget, and with the id columns of rows. */
public final class LockRequests {
    /** Of the statements, and so of the locks: by table, the strongest mode first. */
    private static final Comparator<RowGroup> STATEMENT_ORDER =
            Comparator.comparing((RowGroup group) -> group.table().name()).thenComparing(RowGroup::mode);

    private final LockConfig config;
    private final CitusDatabases citus;
    private final KnownTables tables;

    public LockRequests(LockConfig config) {
        this(config, new CitusDatabases());
    }

    /**
     * Of another configuration, on the same databases.
     *
     * @param citus what is known of these
     */
    public LockRequests(LockConfig config, CitusDatabases citus) {
        this.config = config;
        this.citus = citus;
        this.tables = new KnownTables(config, citus);
    }

    /** Checks and sorts; runs no SQL. {@link KnownTables#withIdColumns} must follow. */
    public ResolvedRequest of(LockKey key, RowLockMode mode, LockWait wait) {
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
        return new ResolvedRequest(
                keys, mode, wait, strategy, advisory, rows, List.of(), strategy.takesRowLock(), config.names());
    }

    /** Checks and sorts; runs no SQL. {@link KnownTables#withIdColumns} must follow. */
    public ResolvedRequest of(Collection<? extends LockKey> keys, RowLockMode mode, LockWait wait) {
        KeyModes.check(mode, wait);
        List<LockKey> list = KeyModes.distinct(keys);
        return of(list, rows(list, keys), mode, Map.of(), wait, strategyOf(list));
    }

    /** Checks and sorts; runs no SQL. {@link KnownTables#withIdColumns} must follow. */
    public ResolvedRequest of(Map<? extends LockKey, RowLockMode> modes, LockWait wait) {
        KeyModes keys = KeyModes.of(modes);
        KeyModes.check(keys.strongest(), wait);
        List<LockKey> list = keys.keys();
        return of(list, rows(list, list), keys.strongest(), keys.each(), wait, strategyOf(list));
    }

    /**
     * The rows of keys, each spelling of an id once: of a text column, two spellings of a UUID are two rows of one key.
     *
     * @param distinct the keys, each once
     * @param given the same, as given
     */
    private static List<LockKey.Row> rows(List<LockKey> distinct, Collection<? extends LockKey> given) {
        boolean oneSpelling = distinct.size() == given.size();
        List<LockKey.Row> rows = new ArrayList<>(distinct.size());
        Set<Map.Entry<String, List<String>>> seen = new HashSet<>();
        for (LockKey key : oneSpelling ? distinct : given) {
            if (key instanceof LockKey.Row row && (oneSpelling || seen.add(Map.entry(row.table(), row.givenId())))) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** The strategy of a key. */
    public LockStrategy strategyOf(LockKey key) {
        return config.strategyOf(key);
    }

    public Set<String> configuredTables() {
        Set<String> tables = new TreeSet<>(config.strategies().keySet());
        tables.addAll(config.idColumns().keySet());
        return tables;
    }

    /** Whether any table is locked by its key alone. */
    public boolean isAnyTableAdvisory() {
        return config.defaultStrategy() == LockStrategy.ADVISORY
                || config.strategies().containsValue(LockStrategy.ADVISORY);
    }

    public List<String> configuredIdColumns(String table) {
        return config.idColumnsOf(table);
    }

    /** The strategy of a claim's table. */
    public LockStrategy strategyOf(Claim claim) {
        return config.strategyOf(claim.table());
    }

    /** The tables whose rows are locked. */
    KnownTables tables() {
        return tables;
    }

    /**
     * Looks whether keys can be made of a table's ids, where its strategy needs them.
     *
     * @throws LockTargetException if not
     */
    public void check(PgSession session, String name) throws SQLException {
        tables.check(session, name);
    }

    /** The databases that have Citus, as far as is known. */
    public CitusDatabases citus() {
        return citus;
    }

    int budget() {
        return config.budget();
    }

    /** How messages name keys. */
    public KeyNames names() {
        return config.names();
    }

    /**
     * Splits the keys by the kind of lock.
     *
     * @param allRows those that are rows, in every spelling
     * @param modes that of each key where they have several; empty where all have {@code mode}
     */
    private ResolvedRequest of(
            List<LockKey> keys,
            List<LockKey.Row> allRows,
            RowLockMode mode,
            Map<LockKey, RowLockMode> modes,
            LockWait wait,
            LockStrategy strategy) {
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
        for (LockKey.Row row : allRows) {
            if (config.strategyOf(row).takesRowLock()) {
                groupOf(rows, row.table(), modes.isEmpty() ? mode : modes.getOrDefault(row, mode))
                        .keys()
                        .add(row);
            }
        }
        rows.sort(STATEMENT_ORDER);
        ResolvedRequest request = new ResolvedRequest(
                keys,
                mode,
                wait,
                strategy,
                modes.isEmpty() ? AdvisoryKeys.of(advisory) : AdvisoryKeys.mixed(advisory, modes),
                rows,
                List.of(),
                anyIsolation,
                config.names());
        if (advisory.size() > config.budget()) {
            throw overBudget(request);
        }
        return request;
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

    /** One strategy, or BOTH where keys of several are locked together, since both kinds of lock are taken. */
    public LockStrategy strategyOf(List<LockKey> keys) {
        LockStrategy first = config.strategyOf(keys.get(0));
        return keys.size() == 1 || keys.stream().allMatch(key -> config.strategyOf(key) == first)
                ? first
                : LockStrategy.BOTH;
    }

    private LockBudgetExceededException overBudget(ResolvedRequest request) {
        int asked = request.advisory().keys().size();
        return new LockBudgetExceededException(
                "Cannot lock " + request.describe() + ": that is " + asked + " distinct advisory locks in one call, and"
                        + " the budget is " + config.budget() + ", since a full lock table refuses every session of the"
                        + " server. Lock fewer keys, a key that stands for them all, or raise the budget with"
                        + " RowLocks.builder().lockBudget() after max_locks_per_transaction.",
                asked);
    }
}
