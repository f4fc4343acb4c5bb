package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.LockBudgetExceededException;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.CitusDatabases;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.PrimaryKeys;
import org.rowlock.internal.text.IdType;

/** Makes a request of the caller's keys: distinct, by strategy, within the budget, and with the id columns of rows. */
public final class LockRequests {
    /** Of the statements, and so of the locks: by table, the strongest mode first. */
    private static final Comparator<RowGroup> STATEMENT_ORDER =
            Comparator.comparing((RowGroup group) -> group.table().name()).thenComparing(RowGroup::mode);

    private final LockConfig config;
    private final CitusDatabases citus;
    private final PrimaryKeys primaryKeys;

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
        this.primaryKeys = new PrimaryKeys(citus);
    }

    /**
     * Sorts; runs no SQL. {@link #withIdColumns} must follow.
     *
     * @param wait in place of that of the request
     */
    public ResolvedRequest of(LockRequest request, LockWait wait) {
        List<LockKey> keys = request.keys();
        if (keys.size() > 1) {
            return ofSeveral(request, wait, strategyOf(keys));
        }
        LockKey key = keys.get(0);
        LockStrategy strategy = config.strategyOf(key);
        AdvisoryKeys advisory = strategy.takesAdvisoryLock() ? AdvisoryKeys.of(keys) : AdvisoryKeys.NONE;
        List<LockKey.Row> spelled = strategy.takesRowLock() ? request.rows() : List.of();
        List<RowGroup> rows = spelled.isEmpty()
                ? List.of()
                : List.of(new RowGroup(RowTable.named(spelled.get(0).table()), request.mode(), spelled));
        return new ResolvedRequest(
                keys,
                request.mode(),
                wait,
                strategy,
                advisory,
                rows,
                List.of(),
                strategy.takesRowLock(),
                config.names());
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

    /** The id columns of a claim's table: its own, the configured ones, or the primary key. */
    RowTable tableOf(PgSession session, Claim claim) throws SQLException {
        List<String> given = givenColumns(claim);
        return keyed(session, primaryKeys.of(session, claim.table(), given), given);
    }

    /**
     * Looks whether keys can be made of a table's ids, where its strategy needs them.
     *
     * @throws LockTargetException if not
     */
    public void check(PgSession session, String name) throws SQLException {
        List<String> given = config.idColumnsOf(name);
        keyed(session, primaryKeys.find(session, name, given), given);
    }

    /** The table, unless it needs keys that no id of it has; the next call looks at its columns again. */
    private RowTable keyed(PgSession session, RowTable table, List<String> given) throws SQLException {
        if (config.strategyOf(table.name()).takesAdvisoryLock()) {
            for (RowTable.Column column : table.columns()) {
                if (column.kind() == IdType.KEYLESS) {
                    primaryKeys.forget(session, table, given);
                    throw LockErrors.keyless(table, column);
                }
            }
        }
        return table;
    }

    private List<String> givenColumns(Claim claim) {
        return claim.idColumns().isEmpty() ? config.idColumnsOf(claim.table()) : claim.idColumns();
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
     * Has the tables of a request looked up again.
     *
     * @param request with the id columns that the server has found wrong
     */
    void forgetTables(PgSession session, ResolvedRequest request) throws SQLException {
        for (List<RowGroup> groups : List.of(request.rows(), request.keysAlone())) {
            for (RowGroup group : groups) {
                primaryKeys.stale(
                        session, group.table(), config.idColumnsOf(group.table().name()));
            }
        }
    }

    /** Has the table of a claim looked up again. */
    void forgetTable(PgSession session, Claim claim, RowTable table) throws SQLException {
        primaryKeys.stale(session, table, givenColumns(claim));
    }

    /**
     * Splits the keys by the kind of lock.
     *
     * @param allRows those that are rows, in every spelling
     * @param modes that of each key where they have several; empty where all have {@code mode}
     */
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
        ResolvedRequest resolved = new ResolvedRequest(
                keys,
                mode,
                wait,
                strategy,
                mixed ? AdvisoryKeys.mixed(advisory, request) : AdvisoryKeys.of(advisory),
                rows,
                List.of(),
                anyIsolation,
                config.names());
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

    /**
     * The request with the id columns of the tables whose rows are locked; asks the server for those it does not know.
     *
     * @throws LockTargetException if an id is none of its table, or another spelling of one
     */
    ResolvedRequest withIdColumns(PgSession session, ResolvedRequest request) {
        try {
            ResolvedRequest checked = request.advisory().isEmpty() ? request : withKeysAlone(session, request);
            if (request.rows().isEmpty()) {
                return checked;
            }
            List<RowGroup> groups = new ArrayList<>(request.rows().size());
            for (RowGroup group : request.rows()) {
                groups.add(new RowGroup(tableOf(session, group), group.mode(), group.keys()));
            }
            return checked.withRows(groups);
        } catch (SQLException e) {
            throw LockErrors.translate(request.asked(session.isHotStandby()), e);
        }
    }

    private RowTable tableOf(PgSession session, RowGroup group) throws SQLException {
        String name = group.table().name();
        List<String> given = config.idColumnsOf(name);
        RowTable table = primaryKeys.of(session, name, given);
        if (misfit(group, table) != null) {
            // Where the column has another type by now the id may fit.
            primaryKeys.forget(session, table, given);
            table = primaryKeys.of(session, name, given);
            LockTargetException misfit = misfit(group, table);
            if (misfit != null) {
                throw misfit;
            }
        }
        return table;
    }

    /**
     * Checks the ids of rows that are locked by their key alone. Where the table has an id as ours, another spelling of a
     * value is refused, as it would be another key; what is no value of the column may be an id of another kind, and
     * passes.
     */
    private ResolvedRequest withKeysAlone(PgSession session, ResolvedRequest request) throws SQLException {
        Map<RowTable, List<LockKey.Row>> checked = Map.of();
        RowTable table = null;
        for (LockKey key : request.advisory().keys()) {
            if (key instanceof LockKey.Row row && !config.strategyOf(row).takesRowLock()) {
                table = tableOf(session, row, table);
                if (table.columns().size() == row.id().size() && table.isTextTaken()) {
                    checked = checked.isEmpty() ? new LinkedHashMap<>() : checked;
                    checked.computeIfAbsent(table, of -> new ArrayList<>(1)).add(row);
                }
            }
        }
        if (checked.isEmpty()) {
            return request;
        }
        List<RowGroup> groups = new ArrayList<>(checked.size());
        checked.forEach((of, rows) -> groups.add(new RowGroup(of, request.mode(), rows)));
        return request.withKeysAlone(groups);
    }

    /**
     * The table of a row that is locked by its key alone.
     *
     * @param before that of the row before, which most often is the same
     */
    private RowTable tableOf(PgSession session, LockKey.Row row, @Nullable RowTable before) throws SQLException {
        List<String> given = config.idColumnsOf(row.table());
        RowTable table = before != null && before.name().equals(row.table())
                ? before
                : primaryKeys.find(session, row.table(), given);
        if (otherSpelling(row, table) != null) {
            primaryKeys.forget(session, table, given);
            table = primaryKeys.find(session, row.table(), given);
            LockTargetException other = otherSpelling(row, table);
            if (other != null) {
                throw other;
            }
        }
        return table;
    }

    private @Nullable LockTargetException otherSpelling(LockKey.Row row, RowTable table) {
        if (row.id().size() != table.columns().size()) {
            return null;
        }
        for (int i = 0; i < row.id().size(); i++) {
            RowTable.Column column = table.columns().get(i);
            if (column.kind() == IdType.KEYLESS) {
                return LockErrors.keyless(table, column);
            }
            String part = row.givenId().get(i);
            String refusal = column.kind().otherSpelling(part);
            if (refusal != null) {
                return LockErrors.misfit(config.names(), row, column, part, refusal);
            }
        }
        return null;
    }

    private @Nullable LockTargetException misfit(RowGroup group, RowTable table) {
        for (LockKey.Row key : group.keys()) {
            List<String> id = key.givenId();
            if (id.size() != table.columns().size()) {
                return wrongParts(key, table);
            }
            for (int i = 0; i < id.size(); i++) {
                RowTable.Column column = table.columns().get(i);
                if (column.kind() == IdType.KEYLESS && config.strategyOf(key).takesAdvisoryLock()) {
                    return LockErrors.keyless(table, column);
                }
                String refusal = column.kind().refusal(id.get(i));
                if (refusal != null) {
                    return LockErrors.misfit(config.names(), key, column, id.get(i), refusal);
                }
            }
        }
        return null;
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

    private LockTargetException wrongParts(LockKey.Row key, RowTable table) {
        return new LockTargetException(
                "Cannot lock " + config.names().of(key) + ": the id has "
                        + key.id().size() + " part(s), and the id of "
                        + table.name() + " is "
                        + table.columns().stream().map(RowTable.Column::name).toList()
                        + ". Give one value per column, in that order.",
                null,
                null);
    }
}
