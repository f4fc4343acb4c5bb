package org.rowlock;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.rowlock.RowTable.Column;
import org.rowlock.ScriptStatement.Result;

/** The statement that takes row locks: the real SELECT ... FOR UPDATE, by primary key. */
final class RowSql {
    /** Of the table, and known to {@link LockErrors}: an error that names it is about the lock. */
    static final String ALIAS = "rowlock_t";

    private RowSql() {}

    /** Locks one row. Returns a row, the number 1, where it exists. */
    static ScriptStatement one(RowTable table, RowLockMode mode, WaitKind wait) {
        String where = table.columns().stream()
                .map(column ->
                        ALIAS + "." + TableName.quoteIdentifier(column.name()) + " = cast(? as " + column.type() + ')')
                .collect(Collectors.joining(" and "));
        return new ScriptStatement(
                "select 1 from " + TableName.quoted(table.name()) + " as " + ALIAS + " where " + where
                        + clause(mode, wait),
                (statement, at, values) -> {
                    int index = at;
                    for (String part :
                            values.request().rows().get(0).keys().get(0).id()) {
                        statement.setString(index++, part);
                    }
                    return index;
                },
                Result.ROWS);
    }

    /**
     * Locks several rows in the order of the primary key. Returns the ordinal number of each that exists.
     *
     * @param group which group of the request they are
     */
    static ScriptStatement many(RowTable table, int group, RowLockMode mode, WaitKind wait) {
        List<Column> columns = table.columns();
        String names = IntStream.range(0, columns.size()).mapToObj(i -> "c" + i).collect(Collectors.joining(", "));
        String on = IntStream.range(0, columns.size())
                .mapToObj(i ->
                        ALIAS + "." + TableName.quoteIdentifier(columns.get(i).name()) + " = k.c" + i)
                .collect(Collectors.joining(" and "));
        String order = columns.stream()
                .map(column -> ALIAS + "." + TableName.quoteIdentifier(column.name()))
                .collect(Collectors.joining(", "));
        // Evaluated before each row is locked, so that all waits together stay within the bound.
        String rearm = wait == WaitKind.AT_MOST ? ", " + WaitSql.REARM_EXPRESSION : "";
        return new ScriptStatement(
                "select k.n" + rearm + " from " + TableName.quoted(table.name()) + " as " + ALIAS + " join unnest("
                        + table.idArrays()
                        + ") with ordinality as k(" + names + ", n) on " + on + " order by " + order
                        + clause(mode, wait).replaceFirst("( nowait)?$", " of " + ALIAS + "$1"),
                (statement, at, values) -> {
                    LockRequest.RowGroup rows = values.request().rows().get(group);
                    return rows.table().bindIds(statement, at, rows.keys());
                },
                Result.ROWS);
    }

    /**
     * Checks behind a row lock that its columns are the primary key of what the name means. The row lock holds the table,
     * so that nothing changes any more. Raises an error otherwise, for what follows in the round trip must not run.
     */
    static ScriptStatement verify(RowTable table) {
        return new ScriptStatement(
                "select case when " + isPrimaryKey(table) + " then '' else " + GuardSql.raiseStale() + " end",
                (statement, at, values) -> at,
                Result.IGNORED);
    }

    /**
     * An expression: whether the columns are still the primary key. By name and not by OID, since to a tenant with a
     * schema of its own the name means another table of the same form.
     *
     * <p>Without parameters, as for these the server would make a plan at every call, which costs more than all else. The
     * table is a text that is looked up at every call, where a literal of type regclass would be looked up once.
     */
    static String isPrimaryKey(RowTable table) {
        List<Column> columns = table.columns();
        String same = IntStream.range(0, columns.size())
                .mapToObj(i -> " and pg_get_indexdef(i.indexrelid, " + (i + 1) + ", false) = quote_ident("
                        + literal(columns.get(i).name()) + ")")
                .collect(Collectors.joining());
        return "exists (select 1 from pg_catalog.pg_index as i where i.indrelid = cast(cast("
                + literal(table.name()) + " as text) as regclass) and i.indisprimary and i.indnkeyatts = "
                + columns.size() + same + ')';
    }

    /** Means the same whatever standard_conforming_strings is. */
    private static String literal(String text) {
        return "E'" + text.replace("\\", "\\\\").replace("'", "''") + '\'';
    }

    private static String clause(RowLockMode mode, WaitKind wait) {
        return ' ' + mode.sql() + (wait == WaitKind.NO_WAIT ? " nowait" : "");
    }
}
