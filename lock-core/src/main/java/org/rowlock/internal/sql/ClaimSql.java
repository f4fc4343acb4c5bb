package org.rowlock.internal.sql;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.rowlock.Claim;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.text.TableName;

/**
 * The statements of a claim.
 *
 * <p>With advisory locks: look for candidates, then try to lock exactly those, in order and stopping at the limit, and
 * behind it in the same round trip read the locked ones again <em>with the predicate again</em>. The lock function is
 * only ever called over parameters, as in a WHERE clause over a table it would lock rows that nobody gets; and without
 * the second read a job that another worker has just finished would run twice.
 */
public final class ClaimSql {
    private final Claim claim;
    private final RowTable table;
    private final String alias;

    public ClaimSql(Claim claim, RowTable table) {
        this.claim = claim;
        this.table = table;
        this.alias = TableName.quotedLastPart(table.name());
    }

    /** All at once, with row locks alone. Parameters: the predicate's, the limit. */
    public static String skipLocked(Claim claim) {
        return "select * from " + from(claim.table()) + " where " + condition(claim) + order(claim) + " limit ? "
                + claim.mode().sql() + " skip locked";
    }

    /**
     * What a guard needs to know, and no lock, and whether the id columns are still the table's. Parameter: the table.
     */
    public String guard(boolean anyIsolation) {
        return KeySql.holding(List.of(table.name())) + "select "
                + GuardSql.guarded(anyIsolation, Shape.ROW_INT, "", "''", false) + ", " + GuardSql.ISOLATION + ", "
                + (table.identity() == Identity.CATALOG ? RowSql.isPrimaryKey(table) : "true")
                + KeySql.from(Shape.ROW_INT);
    }

    /**
     * The ids of rows that meet the predicate. Parameters: the predicate's, an array per id column of those seen before
     * if there are any, the number of rows.
     */
    public String candidates(boolean anySeen) {
        String notSeen =
                anySeen ? " and (" + columns(alias + ".") + ") not in (select * from " + table.ids() + ")" : "";
        return identity() + "select " + table.printedId(alias) + " from " + from() + " where " + condition(claim)
                + notSeen
                + order(claim) + " limit ?";
    }

    /**
     * Locks candidates in their order until the limit is reached, and leaves their ordinal numbers in a setting for
     * {@link #read}. Returns that setting. Parameters: the table, the int4 ids, the other ids as text, the number to lock.
     */
    public String tryLock() {
        String function = "pg_catalog.pg_try_advisory_xact_lock" + KeySql.functionSuffix(claim.mode());
        return "select pg_catalog.set_config('rowlock.claimed', coalesce(pg_catalog.string_agg(g.n::pg_catalog.text, ',' order by g.n), ''), true) from (select k.n from ("
                + "select d.n, r.root::integer as c, d.o, case when d.o is null then "
                + KeySql.hash("r.root::pg_catalog.text || ':' || d.s") + " end as b from (select " + KeySql.ROOT
                + " as root"
                + KeySql.from(Shape.ROW_INT) + " offset 0) as r"
                + " cross join unnest(cast(? as integer[]), cast(? as pg_catalog.text[])) with ordinality as d(o, s, n)"
                + " order by d.n offset 0) as k where case when k.b is null then " + function + "(k.c, k.o) else "
                + function + "(k.b) end limit ?) as g";
    }

    /**
     * The locked rows that still meet the predicate, in the order of the candidates. Parameters: an array of the
     * candidates per id column, the predicate's.
     */
    public String read(boolean rowLock) {
        String on = IntStream.range(0, table.columns().size())
                .mapToObj(i -> alias + '.'
                        + TableName.quoteIdentifier(table.columns().get(i).name()) + " = rowlock_k.rowlock_" + i)
                .collect(Collectors.joining(" and "));
        String names = IntStream.range(0, table.columns().size())
                .mapToObj(i -> "rowlock_" + i)
                .collect(Collectors.joining(", "));
        return "select " + alias + ".*, rowlock_k.rowlock_n from " + from() + " join " + table.ids()
                + " with ordinality as rowlock_k(" + names + ", rowlock_n) on " + on
                + " where rowlock_k.rowlock_n = any(pg_catalog.string_to_array(pg_catalog.current_setting('rowlock.claimed'), ',')::bigint[]) and "
                + condition(claim) + " order by rowlock_k.rowlock_n"
                + (rowLock ? ' ' + claim.mode().sql() + " of " + alias + " skip locked" : "");
    }

    /** What the statement that looks for candidates begins with: a check that the id columns still are the id. */
    public String identity() {
        return RowSql.identity(table);
    }

    /** The predicate as a condition of its own, whatever operators or comment it ends with. */
    private static String condition(Claim claim) {
        return "(" + claim.predicate() + "\n)";
    }

    private static String order(Claim claim) {
        return claim.order().isEmpty() ? "" : " order by " + claim.order() + "\n";
    }

    private String from() {
        return from(table.name());
    }

    private static String from(String table) {
        return TableName.quoted(table) + " as " + TableName.quotedLastPart(table);
    }

    private String columns(String prefix) {
        return table.columns().stream()
                .map(column -> prefix + TableName.quoteIdentifier(column.name()))
                .collect(Collectors.joining(", "));
    }
}
