package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockWait;
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
 * The configured and known tables, by which a request is resolved. Refuses ids that do not fit their table, or that
 * have another spelling.
 */
public record KnownTables(LockConfig config, IdColumns idColumns) {
    /** A table whose rows are locked, with its id columns: the configured ones, or the primary key. */
    public RowTable of(PgSession session, String name) throws SQLException {
        return table(session, name, List.of(), config.strategyOf(name), true, true);
    }

    /** The id columns of a table, none if it does without; refuses one whose rows cannot be locked. */
    public List<String> check(PgSession session, String name) throws SQLException {
        LockStrategy strategy = config.strategyOf(name);
        boolean needed = !config.idColumnsOf(name).isEmpty() || strategy != LockStrategy.ADVISORY;
        return table(session, name, List.of(), strategy, needed, needed).columns().stream()
                .map(Column::name)
                .toList();
    }

    /**
     * Splits the keys of a request by strategy, within the budget, with the id columns of their tables; asks the server
     * for those it does not know.
     *
     * @param wait in place of that of the request
     * @param strategy that of all keys, or BOTH where they differ
     * @param inserts of rows that may not be there, in one order for all calls
     * @throws LockTargetException if an id is none of its table, or another spelling of one
     */
    ResolvedRequest resolve(
            PgSession session, LockRequest request, LockWait wait, LockStrategy strategy, List<Insert> inserts) {
        List<LockKey> keys = request.keys();
        // The keys can have strategies of their own only if there are several and their common strategy is BOTH.
        boolean differ = strategy == LockStrategy.BOTH && keys.size() > 1;
        List<LockKey> advisory = strategy == LockStrategy.ROW ? List.of() : differ ? config.advisory(keys) : keys;
        boolean anyAlone = differ
                ? advisory.stream().anyMatch(key -> config.strategyOf(key) == LockStrategy.ADVISORY)
                : strategy == LockStrategy.ADVISORY;
        if (advisory.size() > config.budget()) {
            throw config.overBudget(
                    "lock " + asked(session, request, wait).what() + ": that is " + advisory.size()
                            + " distinct advisory locks",
                    "Lock fewer keys, or a key that stands for them all");
        }
        // In the order of their statements, and so of the locks: by table, the strongest mode first.
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
                LockStrategy ofTable = differ ? config.strategyOf(first) : strategy;
                if (ofTable != LockStrategy.ADVISORY) {
                    RowTable table = table(session, first.table(), group, ofTable, true, true);
                    groups.add(new RowGroup(table, request.modeOf(first), group));
                    continue;
                }
                // By their key alone. Another spelling of a value is refused, as it would be another key; what is no
                // value of the column may be an id of another kind, and passes.
                RowTable table = table(session, first.table(), group, ofTable, false, false);
                if (table.isAny(IdType::isWord) && !typed.contains(table)) {
                    typed = typed.isEmpty() ? new ArrayList<>(1) : typed;
                    typed.add(table);
                }
            }
        } catch (SQLException e) {
            throw LockErrors.ofLock(asked(session, request, wait), e);
        }
        return new ResolvedRequest(
                request,
                wait,
                strategy,
                config.names(),
                AdvisoryKeys.of(advisory, request),
                groups,
                typed,
                inserts,
                !anyAlone,
                null);
    }

    private static int order(Row one, Row other, LockRequest request) {
        int byTable = one.table().compareTo(other.table());
        return byTable == 0 ? request.modeOf(one).compareTo(request.modeOf(other)) : byTable;
    }

    /** Refuses an id that no row of its table has. Where the table has no id columns nothing is known of its ids. */
    public void checkId(PgSession session, Row row) throws SQLException {
        RowTable unused = table(session, row.table(), List.of(row), config.strategyOf(row), false, true);
    }

    /** Returns the words of a request for messages, whatever its tables are. */
    Asked asked(PgSession session, LockRequest request, LockWait wait) {
        LockStrategy strategy = config.strategyOf(request.keys());
        return Asked.of(request, wait, strategy, config.names(), List.of(), session.readOnlyBy());
    }

    /**
     * A table with its id columns; refuses one whose rows cannot be locked, and rows of other ids.
     *
     * @param needed whether there have to be id columns, as rows are locked
     * @param ofRows whether the ids have to be those of rows; see {@link #refusal}
     */
    private RowTable table(
            PgSession session, String name, List<Row> rows, LockStrategy strategy, boolean needed, boolean ofRows)
            throws SQLException {
        for (boolean again = false; ; again = true) {
            IdColumns.Known known = idColumns.of(session, name, config.idColumnsOf(name));
            LockTargetException refused = known.isWhole()
                    ? refusal(known.table(), rows, strategy, ofRows)
                    : needed ? TargetErrors.withoutColumns(known) : null;
            if (refused == null) {
                return known.isWhole() ? known.table() : RowTable.named(name);
            }
            if (again) {
                throw refused;
            }
            // By now it may have other columns, or of other types, which the ids fit.
            idColumns.forget(known.table());
        }
    }

    /**
     * Why rows of a table cannot be locked, or null.
     *
     * @param ofRows whether the ids have to be those of rows; if not, only another spelling of a value is wrong
     */
    private @Nullable LockTargetException refusal(
            RowTable table, List<Row> rows, LockStrategy strategy, boolean ofRows) {
        List<Column> columns = table.columns();
        boolean isAnyOfTable = ofRows || rows.isEmpty();
        for (Row row : rows) {
            isAnyOfTable |= row.id().size() == columns.size();
        }
        if (!isAnyOfTable) {
            return null;
        }
        for (Column column : columns) {
            if (!column.kind().hasKeys(strategy)) {
                return TargetErrors.keyless(table, column);
            }
        }
        for (Row row : rows) {
            boolean fits = row.id().size() == columns.size();
            if (ofRows && !fits) {
                return TargetErrors.wrongParts(config.names(), row, table);
            }
            for (int i = 0; fits && i < columns.size(); i++) {
                Column column = columns.get(i);
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
