package org.rowlock.internal.acquire;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.Description;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.session.IdColumns;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.sql.ManyRowsSql;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.RowKey;

/**
 * The configuration of one {@code RowLocks} object, and what the catalog says about the tables of its requests. Refuses
 * ids that do not fit the id columns or are not canonical. Table names are normalized.
 *
 * @param defaultStrategy the strategy of all tables that have no strategy of their own
 * @param columns the configured id columns of tables
 */
public record KnownTables(
        LockStrategy defaultStrategy,
        Map<String, LockStrategy> strategies,
        Map<String, List<String>> columns,
        int budget,
        IdColumns idColumns) {
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
        return keys.stream().filter(key -> strategyOf(key) != LockStrategy.ROW).toList();
    }

    public boolean isAnyTableAdvisory() {
        return defaultStrategy == LockStrategy.ADVISORY || strategies.containsValue(LockStrategy.ADVISORY);
    }

    /** Returns the normalized names of the tables that have a configuration of their own. */
    public Set<String> configured() {
        Set<String> tables = new TreeSet<>(strategies.keySet());
        tables.addAll(columns.keySet());
        return tables;
    }

    /** Returns the configured id columns of a table; empty if the primary key is used. */
    public List<String> idColumnsOf(String table) {
        return columns.getOrDefault(table, List.of());
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

    /** Returns a table for row locks, with its id columns: the configured columns, or the primary key. */
    public RowTable of(PgSession session, String name) throws SQLException {
        return table(session, name, List.of(), strategyOf(name), true);
    }

    /**
     * Checks in the catalog whether rows of a table can be locked, and locks nothing. Returns the id columns; empty if
     * the table has none and the strategy needs none.
     *
     * @throws LockTargetException if the strategy needs id columns and the table has none; also if the strategy uses
     *     advisory locks and equal ids may have different texts, for example in citext
     */
    public List<String> check(Connection connection, String table) throws SQLException {
        String name = TableName.normalize(table);
        LockStrategy strategy = strategyOf(name);
        boolean needed = !idColumnsOf(name).isEmpty() || strategy != LockStrategy.ADVISORY;
        return table(PgSession.of(connection), name, List.of(), strategy, needed).columns().stream()
                .map(Column::name)
                .toList();
    }

    /**
     * Returns the stored ids of rows whose keys are locked. Returns an empty set, unless equal ids may have different
     * texts, as with citext. Keys of other tables are ignored.
     */
    public Set<List<String>> spellings(Connection connection, String name, Collection<? extends LockKey> keys)
            throws SQLException {
        PgSession session = PgSession.of(connection);
        RowTable table = idColumns.of(session, name, idColumnsOf(name)).table();
        List<Row> rows = new ArrayList<>();
        for (LockKey key : keys) {
            if (key instanceof Row row && row.table().equals(name)) {
                rows.add(row);
            }
        }
        if (rows.isEmpty() || !table.isAny(type -> type == IdType.KEYLESS)) {
            return Set.of();
        }
        Set<List<String>> stored = new HashSet<>();
        try (PreparedStatement statement = session.prepare(ManyRowsSql.stored(table))) {
            int unused = ManyRowsSql.bind(statement, 1, new RowGroup(table, RowLockMode.FOR_UPDATE, rows));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    stored.add(new RowKey(name, table.readId(row, 1)).id());
                }
            }
        }
        return stored;
    }

    /**
     * Looks up the id columns, and splits the keys into advisory locks and row locks. Refuses more advisory locks than
     * the budget allows.
     */
    ResolvedRequest resolve(PgSession session, RequestParts request, LockStrategy strategy) {
        List<LockKey> keys = request.keys();
        boolean differ = strategy == LockStrategy.BOTH && keys.size() > 1;
        List<LockKey> advisory = strategy == LockStrategy.ROW ? List.of() : differ ? advisory(keys) : keys;
        boolean anyAlone = differ
                ? advisory.stream().anyMatch(key -> strategyOf(key) == LockStrategy.ADVISORY)
                : strategy == LockStrategy.ADVISORY;
        if (advisory.size() > budget) {
            throw overBudget(
                    "lock " + Description.of(request, strategy, List.of(), null).what() + ": that is " + advisory.size()
                            + " distinct advisory locks",
                    "Lock fewer keys, or lock one key that stands for all of them");
        }
        // The rows are sorted in the order in which they are locked: by table, and the strongest mode first.
        List<Row> rows = request.rows();
        if (rows.size() > 1) {
            rows = new ArrayList<>(rows);
            rows.sort((one, other) -> order(one, other, request));
        }
        List<RowGroup> groups = new ArrayList<>(1);
        List<RowTable> typed = List.of();
        try {
            for (int from = 0, to = 0; from < rows.size(); from = to) {
                Row first = rows.get(from);
                while (to < rows.size() && order(first, rows.get(to), request) == 0) {
                    to++;
                }
                List<Row> group = to - from == rows.size() ? rows : rows.subList(from, to);
                LockStrategy ofTable = differ ? strategyOf(first) : strategy;
                boolean rowLocked = ofTable != LockStrategy.ADVISORY;
                RowTable table = table(session, first.table(), group, ofTable, rowLocked);
                if (rowLocked) {
                    groups.add(new RowGroup(table, request.modeOf(first), group));
                } else if (!table.columns().isEmpty() && !typed.contains(table)) {
                    typed = typed.isEmpty() ? new ArrayList<>(1) : typed;
                    typed.add(table);
                }
            }
        } catch (SQLException e) {
            throw LockErrors.ofLock(Description.of(request, strategy, List.of(), session.readOnlyBy()), e);
        }
        return new ResolvedRequest(request, strategy, advisory, groups, typed, !anyAlone, null);
    }

    private static int order(Row one, Row other, RequestParts request) {
        int byTable = one.table().compareTo(other.table());
        return byTable == 0 ? request.modeOf(one).compareTo(request.modeOf(other)) : byTable;
    }

    /**
     * Returns a table with its id columns. Refuses a table whose rows cannot be locked, and ids that do not fit the id
     * columns.
     *
     * @param needed whether the id columns must be known
     */
    private RowTable table(PgSession session, String name, List<Row> rows, LockStrategy strategy, boolean needed)
            throws SQLException {
        for (boolean again = false; ; again = true) {
            IdColumns.Known known = idColumns.of(session, name, idColumnsOf(name));
            LockTargetException refused = refusal(known, rows, strategy, needed);
            if (refused == null) {
                return known.isWhole() ? known.table() : RowTable.named(name);
            }
            if (again) {
                throw refused;
            }
            // The table may have changed since it was looked up. The ids may fit its new columns, so the table is
            // looked up again.
            idColumns.forget(known.table());
        }
    }

    private static @Nullable LockTargetException refusal(
            IdColumns.Known known, List<Row> rows, LockStrategy strategy, boolean needed) {
        if (strategy != LockStrategy.ROW && known.kind().equals("v")) {
            // A key of a view would differ from the key of the underlying table.
            return TargetErrors.noTable(known);
        }
        if (!known.isWhole()) {
            return needed ? TargetErrors.withoutColumns(known) : null;
        }
        RowTable table = known.table();
        List<Column> columns = table.columns();
        for (Column column : columns) {
            if (column.kind() == IdType.KEYLESS && strategy != LockStrategy.ROW) {
                return TargetErrors.keyless(table, column);
            }
        }
        for (Row row : rows) {
            if (row.id().size() != columns.size()) {
                return TargetErrors.wrongParts(row, table);
            }
            for (int i = 0; i < columns.size(); i++) {
                Column column = columns.get(i);
                String part = RowKey.givenId(row).get(i);
                String wrong = column.kind().refusal(part);
                if (wrong != null) {
                    return TargetErrors.misfit(row, column, part, wrong);
                }
            }
        }
        return null;
    }
}
