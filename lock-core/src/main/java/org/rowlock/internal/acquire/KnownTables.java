package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.request.AdvisoryKeys;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.session.IdColumns;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.Insert;

/**
 * What is configured and known of tables, and what a request means by it; refuses ids that are none of their table, or
 * another spelling.
 */
public record KnownTables(LockConfig config, IdColumns idColumns) {
    /** The table of a claim with its id columns: the configured ones, or the primary key. */
    RowTable of(PgSession session, String name) throws SQLException {
        return table(session, name, List.of(), true, true);
    }

    /** The id columns of a table, none if it does without; refuses one whose rows cannot be locked. */
    public List<String> check(PgSession session, String name) throws SQLException {
        boolean needed = !config.idColumnsOf(name).isEmpty() || config.strategyOf(name) != LockStrategy.ADVISORY;
        return table(session, name, List.of(), needed, needed).columns().stream()
                .map(Column::name)
                .toList();
    }

    /** Has a table looked up again, as the server has found that it has changed. */
    void forget(PgSession session, RowTable table) throws SQLException {
        idColumns.stale(session, table, config.idColumnsOf(table.name()));
    }

    /**
     * Splits the keys of a request by strategy, within the budget, with the id columns of their tables; asks the server
     * for those it does not know.
     *
     * @param wait in place of that of the request
     * @param inserts of rows that may not be there, in one order for all calls
     * @param front what goes in front of the lock of the only row
     * @throws LockTargetException if an id is none of its table, or another spelling of one, or if nothing looks for a
     *     row that is required
     */
    ResolvedRequest resolve(
            PgSession session, LockRequest request, LockWait wait, List<Insert> inserts, @Nullable Front front) {
        List<LockKey> keys = request.keys();
        LockStrategy strategy = config.strategyOf(keys);
        List<LockKey> advisory = config.advisory(keys);
        boolean anyAlone = false;
        for (LockKey key : advisory) {
            if (config.strategyOf(key) == LockStrategy.ADVISORY) {
                if (request.isRowRequired()) {
                    throw TargetErrors.rowNotLookedFor(asked(session, request, wait), key);
                }
                anyAlone = true;
            }
        }
        if (advisory.size() > config.budget()) {
            throw config.overBudget(
                    "lock " + asked(session, request, wait).what() + ": that is " + advisory.size()
                            + " distinct advisory locks",
                    "Lock fewer keys, or a key that stands for them all");
        }
        try {
            List<RowTable> typed = anyAlone ? typed(session, advisory) : List.of();
            return new ResolvedRequest(
                    request,
                    wait,
                    strategy,
                    config.names(),
                    AdvisoryKeys.of(advisory, request),
                    strategy == LockStrategy.ADVISORY ? List.of() : rows(session, request),
                    typed,
                    inserts,
                    !anyAlone,
                    front);
        } catch (SQLException e) {
            throw LockErrors.translate(asked(session, request, wait), e);
        }
    }

    /** Refuses an id that no row of its table has. Where the table has no id columns nothing is known of its ids. */
    public void checkId(PgSession session, Row row) throws SQLException {
        RowTable unused = table(session, row.table(), List.of(row), false, true);
    }

    /** What a request asks for, whatever its tables are. */
    Asked asked(PgSession session, LockRequest request, LockWait wait) {
        LockStrategy strategy = config.strategyOf(request.keys());
        return Asked.of(request, wait, strategy, config.names(), List.of(), session.isHotStandby());
    }

    /** The row locks in the order of their statements, and so of the locks: by table, the strongest mode first. */
    private List<RowGroup> rows(PgSession session, LockRequest request) throws SQLException {
        List<Row> all = request.rows();
        if (request.keys().size() == 1) {
            return List.of(new RowGroup(table(session, all.get(0).table(), all, true, true), request.mode(), all));
        }
        Map<String, Map<RowLockMode, List<Row>>> byTable = new TreeMap<>();
        for (Row row : all) {
            if (config.strategyOf(row) != LockStrategy.ADVISORY) {
                byTable.computeIfAbsent(row.table(), of -> new EnumMap<>(RowLockMode.class))
                        .computeIfAbsent(request.modeOf(row), of -> new ArrayList<>())
                        .add(row);
            }
        }
        List<RowGroup> groups = new ArrayList<>(byTable.size());
        for (Map<RowLockMode, List<Row>> ofTable : byTable.values()) {
            for (Map.Entry<RowLockMode, List<Row>> of : ofTable.entrySet()) {
                List<Row> rows = of.getValue();
                groups.add(new RowGroup(table(session, rows.get(0).table(), rows, true, true), of.getKey(), rows));
            }
        }
        return groups;
    }

    /**
     * Checks the ids of rows that are locked by their key alone. Where the table has an id as ours, another spelling of
     * a value is refused, as it would be another key; what is no value of the column may be an id of another kind, and
     * passes.
     *
     * @return the tables whose ids are texts
     */
    private List<RowTable> typed(PgSession session, List<LockKey> keys) throws SQLException {
        Set<RowTable> typed = Set.of();
        RowTable table = null;
        for (LockKey key : keys) {
            if (key instanceof Row row && config.strategyOf(row) == LockStrategy.ADVISORY) {
                List<Row> rows = List.of(row);
                if (table == null || !table.name().equals(row.table()) || refusal(table, rows, false) != null) {
                    table = table(session, row.table(), rows, false, false);
                }
                if (table.columns().size() == row.id().size() && table.isAny(IdType::isWord)) {
                    typed = typed.isEmpty() ? new LinkedHashSet<>() : typed;
                    typed.add(table);
                }
            }
        }
        return List.copyOf(typed);
    }

    /**
     * A table with its id columns; refuses one whose rows cannot be locked, and rows of other ids.
     *
     * @param needed whether there have to be id columns, as rows are locked
     * @param ofRows whether the ids have to be those of rows; see {@link #refusal}
     */
    private RowTable table(PgSession session, String name, List<Row> rows, boolean needed, boolean ofRows)
            throws SQLException {
        for (boolean again = false; ; again = true) {
            IdColumns.Known known = idColumns.of(session, name, config.idColumnsOf(name));
            LockTargetException refused = known.isWhole()
                    ? refusal(known.table(), rows, ofRows)
                    : needed ? TargetErrors.withoutColumns(known) : null;
            if (refused == null) {
                return known.isWhole() ? known.table() : RowTable.named(name);
            }
            if (again) {
                throw refused;
            }
            // By now it may have other columns, or of other types, which the ids fit.
            idColumns.forget(session, known);
        }
    }

    /**
     * Why rows of a table cannot be locked, or null.
     *
     * @param ofRows whether the ids have to be those of rows; if not, only another spelling of a value is wrong
     */
    private @Nullable LockTargetException refusal(RowTable table, List<Row> rows, boolean ofRows) {
        if (!ofRows
                && !rows.isEmpty()
                && rows.get(0).id().size() != table.columns().size()) {
            return null;
        }
        LockStrategy strategy = config.strategyOf(table.name());
        for (Column column : table.columns()) {
            if (!column.kind().hasKeys(strategy)) {
                return TargetErrors.keyless(table, column);
            }
        }
        for (Row row : rows) {
            if (row.id().size() != table.columns().size()) {
                return TargetErrors.wrongParts(config.names(), row, table);
            }
            for (int i = 0; i < table.columns().size(); i++) {
                Column column = table.columns().get(i);
                String part = row.givenId().get(i);
                String wrong =
                        ofRows ? column.kind().refusal(part) : column.kind().otherSpelling(part);
                if (wrong != null) {
                    return TargetErrors.misfit(config.names(), row, column, part, wrong);
                }
            }
        }
        return null;
    }
}
