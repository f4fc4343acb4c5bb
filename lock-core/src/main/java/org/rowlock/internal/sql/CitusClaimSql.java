package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.LockKey.Row;
import org.rowlock.internal.request.AdvisoryKeys;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.text.TableName;

/**
 * The statements of a claim on Citus: look for candidates, try their keys on the coordinator in a statement that names no
 * table, and read those that are locked again one by one, <em>with the predicate again</em>, each on the machine that has
 * it.
 */
public final class CitusClaimSql {
    private final Claim claim;
    private final RowTable table;
    private final String alias;

    public CitusClaimSql(Claim claim, RowTable table) {
        this.claim = claim;
        this.table = table;
        this.alias = TableName.quotedLastPart(table.name());
    }

    /** Statements that hold the table. No parameters, and no results that count. */
    public List<String> hold() {
        return CitusForms.hold(List.of(table.name()), List.of());
    }

    /** What a guard saw, and whether the id columns are still the table's. Parameter: the table. */
    public String guard(boolean anyIsolation) {
        return "select " + GuardSql.guarded(anyIsolation, Shape.ROW_INT, "''", false) + ", " + GuardSql.ISOLATION
                + ", " + (table.identity() == Identity.CATALOG ? RowSql.isPrimaryKey(table) : "true")
                + KeySql.from(Shape.ROW_INT);
    }

    /** The ids of rows that meet the predicate. */
    public String candidates(boolean anySeen) {
        String notSeen = anySeen
                ? " and (" + columns().collect(Collectors.joining(", ")) + ") not in (select * from " + table.ids()
                        + ')'
                : "";
        String order = claim.order().isEmpty() ? "" : " order by " + claim.order() + "\n";
        return RowSql.identity(table) + "select " + table.printedId(alias) + from() + " where " + condition() + notSeen
                + order + " limit ?";
    }

    public int bindCandidates(PreparedStatement statement, int at, List<List<String>> seen, int page)
            throws SQLException {
        int next = LockQuery.bind(statement, at, claim.binds());
        if (!seen.isEmpty()) {
            next = table.bindIds(statement, next, seen);
        }
        statement.setInt(next, page);
        return next + 1;
    }

    /** Locks keys in their order until there are enough. Returns the ordinal number of each that is locked. */
    public String tryLock() {
        String function = "pg_catalog.pg_try_advisory_xact_lock" + KeySql.functionSuffix(claim.mode());
        return "select k.n from (select d.n, r.root::integer as c, d.o, case when d.o is null then "
                + KeySql.hash("r.root::pg_catalog.text || ':' || d.s") + " end as b from (select " + KeySql.ROOT
                + " as root" + KeySql.from(Shape.ROW_INT) + " offset 0) as r"
                + " cross join unnest(cast(? as integer[]), cast(? as pg_catalog.text[])) with ordinality as d(o, s, n)"
                + " order by d.n offset 0) as k where case when k.b is null then " + function + "(k.c, k.o) else "
                + function + "(k.b) end limit ?";
    }

    /** A key that occurs twice is locked once: it would be granted twice. */
    public void bindTryLock(PreparedStatement statement, List<List<String>> ids, int wanted) throws SQLException {
        @Nullable Object[] numbers = new @Nullable Object[ids.size()];
        @Nullable Object[] texts = new @Nullable Object[ids.size()];
        Set<String> distinct = new HashSet<>();
        for (int i = 0; i < numbers.length; i++) {
            List<String> id = ids.get(i);
            // Of a blank id no key can be made, and yet it has one.
            Row row = id.stream().anyMatch(String::isBlank) ? null : new Row(table.name(), id);
            String text = row == null ? String.join(String.valueOf(IdText.SEPARATOR), id) : AdvisoryKeys.idText(row);
            if (distinct.add(text)) {
                boolean pair = row != null && AdvisoryKeys.isPair(row);
                numbers[i] = pair ? Integer.valueOf(text) : null;
                texts[i] = pair ? null : text;
            }
        }
        statement.setString(1, table.name());
        statement.setArray(2, statement.getConnection().createArrayOf("int4", numbers));
        statement.setArray(3, statement.getConnection().createArrayOf("text", texts));
        statement.setInt(4, wanted);
    }

    /** A row if it still meets the predicate, and if nobody has it where it is locked too. */
    public String read(boolean rowLock) {
        List<String> columns = columns().toList();
        StringBuilder sql = new StringBuilder("select ")
                .append(alias)
                .append(".*")
                .append(from())
                .append(" where ");
        for (int i = 0; i < columns.size(); i++) {
            sql.append(columns.get(i)).append(" = cast(? as ");
            sql.append(table.columns().get(i).type()).append(") and ");
        }
        return sql + condition() + (rowLock ? ' ' + claim.mode().sql() + " skip locked" : "");
    }

    public int bindRead(PreparedStatement statement, int at, List<String> id) throws SQLException {
        int next = at;
        for (String part : id) {
            statement.setString(next++, part);
        }
        return LockQuery.bind(statement, next, claim.binds());
    }

    private String from() {
        return " from " + TableName.quoted(table.name()) + " as " + alias;
    }

    private String condition() {
        return "(" + claim.predicate() + "\n)";
    }

    private Stream<String> columns() {
        return table.columns().stream().map(column -> alias + '.' + TableName.quoteIdentifier(column.name()));
    }
}
