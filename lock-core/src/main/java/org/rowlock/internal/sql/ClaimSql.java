package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.Claim;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.text.TableName;

/**
 * The two statements of a claim, which is all that their text depends on. The first takes row locks with SKIP LOCKED,
 * in the claim's order, and tries the key of each row that it gets, until it has as many as are wanted; the second
 * reads those <em>with the predicate again</em>, as it has a snapshot of its own: SKIP LOCKED looks at the locked row
 * alone, and a job that another table says is finished would run twice. The candidates are behind a fence
 * (MATERIALIZED), since in a WHERE clause over a table the lock function would run before other conditions, and lock
 * rows that nobody gets. They come one by one, so no more are locked than needed.
 *
 * @param anyIsolation whether REPEATABLE READ and SERIALIZABLE pass
 * @param page how many rows to try at most; in the text, since the planner must know it to choose an index
 */
public record ClaimSql(
        RowTable table, String predicate, String order, RowLockMode mode, boolean anyIsolation, int page) {
    private static final String ID = "rowlock_id_";

    /** All at once, with row locks alone. Parameters: the predicate's, the limit. */
    public static String skipLocked(Claim claim) {
        return "select * from " + from(claim.table()) + " where " + condition(claim.predicate()) + order(claim.order())
                + " limit ? " + claim.mode().sql() + " skip locked";
    }

    /** What is sent for a look at the rows. */
    public String text() {
        return lock() + "\n;" + read();
    }

    /** Sets the parameters of {@link #text}. */
    public int bind(PreparedStatement statement, Claim claim) throws SQLException {
        int next = Part.bind(statement, 1, claim.binds());
        statement.setInt(next, claim.limit());
        statement.setString(next + 1, table.name());
        statement.setInt(next + 2, claim.limit());
        return Part.bind(statement, next + 3, claim.binds());
    }

    /**
     * Locks rows that meet the predicate, and leaves their ids in settings for {@link #read}. Returns one row: the two
     * columns of a {@link Guard}, whether the id columns are still the table's, how many rows are locked, and, where
     * these are fewer than wanted, how many were tried: to count them locks them. Nothing is locked where the guard
     * refuses or the columns are others.
     */
    public String lock() {
        return KeySql.holding(List.of(table.name()), List.of(table)).stripTrailing()
                + ", rowlock_candidates as materialized (" + candidates()
                + ") select r.refused, r.isolation,"
                + " r.same, pg_catalog.count(k.rowlock_text), case when r.refused = '' and r.same"
                + " and pg_catalog.count(k.rowlock_text) < ? then (select pg_catalog.count(*) from"
                + " rowlock_candidates) end, "
                + table.each(
                        ", ",
                        (column, i) -> "pg_catalog.set_config('rowlock.claimed_" + i
                                + "', coalesce((pg_catalog.array_agg(k." + ID + i
                                + ") filter (where k.rowlock_text is not null))::pg_catalog.text, '{}'), true)")
                + " from (select " + guard() + KeySql.FROM_TABLE + " offset 0) as r"
                + " left join lateral (select k.* from rowlock_candidates as k where " + tries()
                + " limit ?) as k on true group by 1, 2, 3";
    }

    private String guard() {
        return "case when " + GuardSql.agreed(anyIsolation) + " and " + KeySql.IS_TABLE + " then '' else "
                + GuardSql.refusal(anyIsolation, KeySql.WHY_NOT_TABLE, false) + " end as refused, "
                + GuardSql.ISOLATION
                + " as isolation, "
                + (table.identity() == Identity.CATALOG ? RowSql.isPrimaryKey(table) : "true") + " as same, "
                + KeySql.ROOT + " as root";
    }

    /** A condition that locks the key of {@code k}, where the guard {@code r} lets it. */
    private String tries() {
        String take = "pg_catalog.pg_try_advisory_xact_lock" + KeySql.functionSuffix(mode);
        String agreed = "r.refused = '' and r.same";
        return agreed + " and case when " + agreed + " then case when k.rowlock_int is null then " + take + '('
                + CatalogSql.hash("r.root::pg_catalog.text || ':' || k.rowlock_text") + ") else " + take
                + "(r.root::integer, k.rowlock_int) end end";
    }

    private String candidates() {
        String number = table.columns().size() == 1
                ? table.each("", (column, i) -> column.kind().int4Of(name(column)))
                : "cast(null as integer)";
        return "select " + table.each(", ", (column, i) -> column.kind().textOf(name(column)) + " as " + ID + i) + ", "
                + number
                + " as rowlock_int, "
                + table.each(
                        " || pg_catalog.chr(" + (int) IdText.SEPARATOR + ") || ",
                        (column, i) -> column.kind().keyTextOf(name(column)))
                + " as rowlock_text from " + from(table.name()) + " where " + condition(predicate) + order(order)
                + " limit " + page + ' ' + mode.sql() + " skip locked";
    }

    /**
     * The locked rows that still meet the predicate, in the order of the candidates, and behind their columns the id,
     * printed. Columns that are given may find others with the same id, which have to be locked too.
     */
    private String read() {
        String alias = alias();
        String on = table.each(
                " and ",
                (column, i) -> name(column) + " = cast(rowlock_k." + ID + i + " as " + column.type() + ')'
                        + (column.kind().isOpen()
                                ? " and " + column.kind().textOf(name(column))
                                        + " collate pg_catalog.\"C\" = rowlock_k." + ID + i
                                : ""));
        return "select " + alias + ".*, " + table.printedId(alias) + " from " + from(table.name())
                + " join rows from ("
                + table.each(
                        ", ",
                        (column, i) -> "pg_catalog.unnest(cast(pg_catalog.current_setting('rowlock.claimed_" + i
                                + "') as pg_catalog.text[]))")
                + ") with ordinality as rowlock_k(" + table.each(", ", (column, i) -> ID + i) + ", rowlock_n) on " + on
                + " where "
                + condition(predicate) + " order by rowlock_k.rowlock_n"
                + (table.identity() == Identity.GIVEN ? ' ' + mode.sql() + " of " + alias + " skip locked" : "");
    }

    /** The predicate as a condition of its own, whatever operators or comment it ends with. */
    private static String condition(String predicate) {
        return "(" + predicate + "\n)";
    }

    private static String order(String order) {
        return order.isEmpty() ? "" : " order by " + order + "\n";
    }

    private static String from(String table) {
        return TableName.quoted(table) + " as " + TableName.quotedLastPart(table);
    }

    private String alias() {
        return TableName.quotedLastPart(table.name());
    }

    private String name(Column column) {
        return alias() + '.' + TableName.quoteIdentifier(column.name());
    }
}
