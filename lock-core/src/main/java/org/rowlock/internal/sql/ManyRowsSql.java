package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.ResolvedRequest.WaitKind;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.value.RowKey;

/** The statements for several rows of one table, like those of {@link RowSql} for one row. */
public final class ManyRowsSql {
    private static final String OF_ALIAS = " of " + RowSql.ALIAS;

    private ManyRowsSql() {}

    /**
     * Returns a statement that locks several rows in the order of their ids. The results show which rows are absent.
     */
    static Part lock(RowTable table, int group, RowLockMode mode, WaitKind wait, boolean required) {
        if (table.columns().size() == 1 && table.isAny(IdType::isPrintedAsKeyed)) {
            Part lock = counted(table, group, mode, wait);
            return required
                    ? RowSql.required(table, lock, "l.present", group)
                    : new Part(RowSql.clauseLast(table, lock, mode), lock.binder(), lock.reader());
        }
        Part lock = numbered(table, group, mode, wait);
        return required
                ? RowSql.required(table, lock, "(select pg_catalog.count(distinct n) from rowlock_l)", group)
                : lock;
    }

    /** Returns a statement that locks several rows, and returns the positions of the existing rows in the group. */
    private static Part numbered(RowTable table, int group, RowLockMode mode, WaitKind wait) {
        return new Part(
                RowSql.identity(table) + "select k.n" + WaitSql.rearm(wait, "") + joined(table) + " order by "
                        + table.each(", ", (column, i) -> RowSql.column(column)) + RowSql.clause(mode, OF_ALIAS, wait),
                (statement, at, request) -> bind(statement, at, request.rows().get(group)),
                (answers, statement) -> answers.rows(statement, group));
    }

    /** Returns a FROM clause that joins the rows of a table to their positions {@code k.n} in the list of ids. */
    private static String joined(RowTable table) {
        return " from " + TableName.quoted(table.name()) + " as " + RowSql.ALIAS + " join rows from ("
                + table.each(", ", (column, i) -> "pg_catalog.unnest(" + array(listed(column)) + ')')
                + ") with ordinality as k(" + table.each(", ", (column, i) -> "c" + i) + ", n) on "
                + table.each(
                        " and ",
                        (column, i) -> RowSql.column(column) + " = cast(k.c" + i + " as " + column.type() + ')');
    }

    /** Returns a query for the stored ids of rows, as {@link IdType#textOf} prints them; see {@link #bind}. */
    public static String stored(RowTable table) {
        return "select " + table.printedId(RowSql.ALIAS) + joined(table);
    }

    /**
     * Returns a statement that locks several rows and, if all rows exist, returns only their number. Returning a row
     * costs more than locking the row. The statement counts distinct ids, because several rows may have the same id if
     * the columns are configured, or if the table has child tables.
     */
    private static Part counted(RowTable table, int group, RowLockMode mode, WaitKind wait) {
        String id = RowSql.column(table.columns().get(0));
        return new Part(
                RowSql.identity(table)
                        + "select pg_catalog.count(distinct r.id) as present, case when pg_catalog.count(distinct r.id)"
                        + " < cast(? as integer) then pg_catalog.array_agg(r.id::pg_catalog.text) end"
                        + (wait == WaitKind.AT_MOST ? ", pg_catalog.count(r.rearmed)" : "") + " from (select " + id
                        + " as id" + WaitSql.rearm(wait, " as rearmed") + " from " + TableName.quoted(table.name())
                        + " as "
                        + RowSql.ALIAS + " where " + id + " = any("
                        + array(table.columns().get(0).type()) + ") order by " + id
                        + RowSql.clause(mode, OF_ALIAS, wait)
                        + ") as r",
                (statement, at, request) -> {
                    RowGroup rows = request.rows().get(group);
                    statement.setInt(at, rows.keys().size());
                    return bind(statement, at + 1, rows);
                },
                (answers, statement) -> answers.counted(statement, group));
    }

    /**
     * Returns an expression for an array of ids. The parameter is in a subquery, which hides the length of the array
     * from the planner. Otherwise, the server would plan the statement again for each short array.
     */
    static String array(String type) {
        return "(select cast(? as " + type + "[]))::" + type + "[]";
    }

    /** Returns the element type of the array of ids; text for a KEYLESS id, because such an id may be an array. */
    private static String listed(Column column) {
        return column.kind() == IdType.KEYLESS ? "pg_catalog.text" : column.type();
    }

    public static int bind(PreparedStatement statement, int at, RowGroup rows) throws SQLException {
        int next = at;
        for (int i = 0; i < rows.table().columns().size(); i++) {
            int column = i;
            Stream<String> part =
                    rows.keys().stream().map(row -> RowKey.givenId(row).get(column));
            if (rows.table().columns().get(i).kind() == IdType.INTEGER) {
                // The driver sends an array of int without converting the array to text. An earlier check has refused
                // ids that are not numbers.
                statement.setObject(next++, part.mapToInt(Integer::parseInt).toArray());
            } else {
                statement.setArray(next++, statement.getConnection().createArrayOf("text", part.toArray()));
            }
        }
        return next;
    }
}
