package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.rowlock.Claim;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.TableName;

/**
 * The statements of a claim.
 *
 * <p>With advisory locks two in one round trip: the first goes through the rows that meet the predicate, in their order,
 * and tries the key of each until it has as many as it wants; the second reads those again <em>with the predicate
 * again</em>, as it has a snapshot of its own. Without it a job that another worker has just finished would run twice.
 * The candidates are behind a fence (MATERIALIZED), since in a WHERE clause over a table the lock function would run
 * before other conditions, and lock rows that nobody gets. They come one by one, so no more are looked at than needed.
 */
public final class ClaimSql {
    private static final String ID = "rowlock_id_";

    private final Claim claim;
    private final RowTable table;
    private final boolean rowLock;
    private final String alias;

    /**
     * The statements of a claim.
     *
     * @param rowLock whether rows are locked too
     */
    public ClaimSql(Claim claim, RowTable table, boolean rowLock) {
        this.claim = claim;
        this.table = table;
        this.rowLock = rowLock;
        this.alias = TableName.quotedLastPart(table.name());
    }

    /** All at once, with row locks alone. Parameters: the predicate's, the limit. */
    public static String skipLocked(Claim claim) {
        return "select * from " + from(claim.table()) + " where " + condition(claim) + order(claim) + " limit ? "
                + claim.mode().sql() + " skip locked";
    }

    /**
     * Locks rows that meet the predicate, and leaves their ids in settings for {@link #read}. Returns one row: the two
     * columns of a {@link Guard}, whether the id columns are still the table's, how many rows are locked, and, where these
     * are fewer than wanted, how many were tried. Nothing is locked where the guard refuses or the columns are others.
     *
     * @param page how many to try at most; in the text, since the planner must know it to choose an index
     * @param anyTaken whether there are rows that were taken before
     */
    public String lock(int page, boolean anyTaken) {
        return KeySql.holding(List.of(table.name()), List.of(table)).stripTrailing()
                + ", rowlock_candidates as materialized (" + candidates(page, anyTaken)
                + ") select r.refused, r.isolation,"
                + " r.same, pg_catalog.count(k.rowlock_text), case when pg_catalog.count(k.rowlock_text) < ?"
                + " then (select pg_catalog.count(*) from rowlock_candidates) end, "
                + each(
                        ", ",
                        i -> "pg_catalog.set_config('rowlock.claimed_" + i + "', coalesce((pg_catalog.array_agg(k." + ID
                                + i + ") filter (where k.rowlock_text is not null))::pg_catalog.text, '{}'), true)")
                + " from (select " + guard() + KeySql.from(Shape.ROW_INT) + " offset 0) as r"
                + " left join lateral (select k.* from rowlock_candidates as k where " + tries()
                + " limit ?) as k on true group by 1, 2, 3";
    }

    /** Sets the parameters of {@link #lock}. */
    public int bindLock(PreparedStatement statement, int at, List<List<String>> taken, int wanted) throws SQLException {
        int next = LockQuery.bind(statement, at, claim.binds());
        if (!taken.isEmpty()) {
            next = table.bindIds(statement, next, taken);
        }
        statement.setInt(next, wanted);
        statement.setString(next + 1, table.name());
        statement.setInt(next + 2, wanted);
        return next + 3;
    }

    ClaimTexts.Form form(int page, boolean anyTaken) {
        return new ClaimTexts.Form(table, claim.predicate(), claim.order(), claim.mode(), rowLock, page, anyTaken);
    }

    String text(int page, boolean anyTaken) {
        return lock(page, anyTaken) + "\n;" + read();
    }

    private String guard() {
        return GuardSql.guarded(rowLock, Shape.ROW_INT, "''", false) + " as refused, " + GuardSql.ISOLATION
                + " as isolation, "
                + (table.identity() == Identity.CATALOG ? RowSql.isPrimaryKey(table) : "true") + " as same, "
                + KeySql.ROOT + " as root";
    }

    /** A condition that locks the key of {@code k}, where the guard {@code r} lets it. */
    private String tries() {
        String take = "pg_catalog.pg_try_advisory_xact_lock" + KeySql.functionSuffix(claim.mode());
        String agreed = "r.refused = '' and r.same";
        return agreed + " and case when " + agreed + " then case when k.rowlock_int is null then " + take + '('
                + KeySql.hash("r.root::pg_catalog.text || ':' || k.rowlock_text") + ") else " + take
                + "(r.root::integer, k.rowlock_int) end end";
    }

    private String candidates(int page, boolean anyTaken) {
        String notTaken =
                anyTaken ? " and (" + each(", ", this::column) + ") not in (select * from " + table.ids() + ')' : "";
        String number = table.columns().size() == 1 ? kind(0).int4Of(column(0)) : "cast(null as integer)";
        return "select " + each(", ", i -> kind(i).textOf(column(i)) + " as " + ID + i) + ", " + number
                + " as rowlock_int, "
                + each(" || pg_catalog.chr(" + (int) IdText.SEPARATOR + ") || ", i -> kind(i).keyTextOf(column(i)))
                + " as rowlock_text from " + from(table.name()) + " where " + condition(claim) + notTaken + order(claim)
                + " limit " + page + (rowLock ? ' ' + claim.mode().sql() + " skip locked" : "");
    }

    /**
     * The locked rows that still meet the predicate, in the order of the candidates, and behind their columns the id,
     * printed. Columns that are given may find others with the same id, which have to be locked too. Of a type of several
     * texts for one value the text must still be that of the key.
     */
    private String read() {
        String on = each(
                " and ",
                i -> column(i) + " = cast(rowlock_k." + ID + i + " as " + type(i) + ')'
                        + (kind(i).isExact()
                                ? ""
                                : " and " + kind(i).textOf(column(i)) + " collate pg_catalog.\"C\" = rowlock_k." + ID
                                        + i));
        return "select " + alias + ".*, " + table.printedId(alias) + " from " + from(table.name())
                + " join rows from ("
                + each(
                        ", ",
                        i -> "pg_catalog.unnest(cast(pg_catalog.current_setting('rowlock.claimed_" + i
                                + "') as pg_catalog.text[]))")
                + ") with ordinality as rowlock_k(" + each(", ", i -> ID + i) + ", rowlock_n) on " + on + " where "
                + condition(claim) + " order by rowlock_k.rowlock_n"
                + (rowLock && table.identity() == Identity.GIVEN
                        ? ' ' + claim.mode().sql() + " of " + alias + " skip locked"
                        : "");
    }

    /** The predicate as a condition of its own, whatever operators or comment it ends with. */
    private static String condition(Claim claim) {
        return "(" + claim.predicate() + "\n)";
    }

    private static String order(Claim claim) {
        return claim.order().isEmpty() ? "" : " order by " + claim.order() + "\n";
    }

    private static String from(String table) {
        return TableName.quoted(table) + " as " + TableName.quotedLastPart(table);
    }

    private String each(String between, IntFunction<String> ofColumn) {
        return IntStream.range(0, table.columns().size()).mapToObj(ofColumn).collect(Collectors.joining(between));
    }

    private IdType kind(int column) {
        return table.columns().get(column).kind();
    }

    private String type(int column) {
        return table.columns().get(column).type();
    }

    private String column(int column) {
        return alias
                + '.'
                + TableName.quoteIdentifier(table.columns().get(column).name());
    }
}
