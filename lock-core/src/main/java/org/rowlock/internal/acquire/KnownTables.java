package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.IdColumns;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.TargetErrors;

/**
 * The tables whose rows are locked, with their id columns; refuses ids that are none of their table, or another
 * spelling.
 */
public record KnownTables(LockConfig config, IdColumns idColumns) {
    /** The table of a claim with its id columns: the configured ones, or the primary key. */
    RowTable of(PgSession session, String name) throws SQLException {
        List<String> given = config.idColumnsOf(name);
        return keyed(session, idColumns.of(session, name, given), given);
    }

    /** The id columns of a table, none if it does without; refuses one whose rows cannot be locked. */
    public List<String> check(PgSession session, String name) throws SQLException {
        List<String> given = config.idColumnsOf(name);
        boolean needed = !given.isEmpty() || config.strategyOf(name) != LockStrategy.ADVISORY;
        RowTable table = needed ? idColumns.of(session, name, given) : idColumns.find(session, name, given);
        return keyed(session, table, given).columns().stream()
                .map(RowTable.Column::name)
                .toList();
    }

    /** The table, unless it needs keys that no id of it has; the next call looks at its columns again. */
    private RowTable keyed(PgSession session, RowTable table, List<String> given) throws SQLException {
        for (RowTable.Column column : table.columns()) {
            if (!column.kind().hasKeys(config.strategyOf(table.name()))) {
                idColumns.forget(session, table, given);
                throw TargetErrors.keyless(table, column);
            }
        }
        return table;
    }

    /** Has the tables of a request looked up again. */
    void forget(PgSession session, ResolvedRequest request) throws SQLException {
        for (RowTable table : request.tables().toList()) {
            forget(session, table);
        }
    }

    void forget(PgSession session, RowTable table) throws SQLException {
        idColumns.stale(session, table, config.idColumnsOf(table.name()));
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
            if (request.rows().size() == 1) {
                return checked.withRows(List.of(known(session, request.rows().get(0))));
            }
            List<RowGroup> groups = new ArrayList<>(request.rows().size());
            for (RowGroup group : request.rows()) {
                groups.add(known(session, group));
            }
            return checked.withRows(groups);
        } catch (SQLException e) {
            throw LockErrors.translate(request.asked(session.isHotStandby()), e);
        }
    }

    private RowGroup known(PgSession session, RowGroup group) throws SQLException {
        RowTable table = table(session, group.table().name(), group.keys(), false);
        return new RowGroup(table, group.mode(), group.keys());
    }

    /** @param alone whether they are locked by their keys alone */
    private RowTable table(PgSession session, String name, List<LockKey.Row> rows, boolean alone) throws SQLException {
        List<String> given = config.idColumnsOf(name);
        for (boolean again = false; ; again = true) {
            RowTable table = alone ? idColumns.find(session, name, given) : idColumns.of(session, name, given);
            LockTargetException misfit = misfit(rows, table, alone);
            if (misfit == null) {
                return table;
            }
            if (again) {
                throw misfit;
            }
            // Where the column has another type by now the id may fit.
            idColumns.forget(session, table, given);
        }
    }

    /**
     * Checks the ids of rows that are locked by their key alone. Where the table has an id as ours, another spelling of
     * a value is refused, as it would be another key; what is no value of the column may be an id of another kind, and
     * passes.
     */
    private ResolvedRequest withKeysAlone(PgSession session, ResolvedRequest request) throws SQLException {
        Set<RowTable> typed = Set.of();
        RowTable table = null;
        for (LockKey key : request.advisory().keys()) {
            if (key instanceof LockKey.Row row && config.strategyOf(row) == LockStrategy.ADVISORY) {
                List<LockKey.Row> rows = List.of(row);
                if (table == null || !table.name().equals(row.table()) || misfit(rows, table, true) != null) {
                    table = table(session, row.table(), rows, true);
                }
                if (table.columns().size() == row.id().size() && table.isTextTaken()) {
                    typed = typed.isEmpty() ? new LinkedHashSet<>() : typed;
                    typed.add(table);
                }
            }
        }
        return typed.isEmpty() ? request : request.withTyped(List.copyOf(typed));
    }

    private @Nullable LockTargetException misfit(List<LockKey.Row> rows, RowTable table, boolean alone) {
        for (LockKey.Row row : rows) {
            boolean whole = row.givenId().size() == table.columns().size();
            LockTargetException misfit = whole
                    ? misfit(row, table, alone)
                    : alone ? null : TargetErrors.wrongParts(config.names(), row, table);
            if (misfit != null) {
                return misfit;
            }
        }
        return null;
    }

    /**
     * Why an id is none of its table, or null.
     *
     * @param alone whether no row is locked, so that only another spelling of a value is wrong
     */
    private @Nullable LockTargetException misfit(LockKey.Row key, RowTable table, boolean alone) {
        for (int i = 0; i < table.columns().size(); i++) {
            RowTable.Column column = table.columns().get(i);
            if (!column.kind().hasKeys(config.strategyOf(key))) {
                return TargetErrors.keyless(table, column);
            }
            String part = key.givenId().get(i);
            String refusal =
                    alone ? column.kind().otherSpelling(part) : column.kind().refusal(part);
            if (refusal != null) {
                return TargetErrors.misfit(config.names(), key, column, part, refusal);
            }
        }
        return null;
    }
}
