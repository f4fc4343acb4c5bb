package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.value.ClaimParts;
import org.rowlock.internal.value.RowKey;

/**
 * The statements of a claim. With strategy ROW, the claim is one statement with SKIP LOCKED. With the other strategies,
 * the claim locks rows with SKIP LOCKED, and then tries to lock the keys of these rows. Finally the claim checks the
 * predicate again in a new snapshot, because SKIP LOCKED does so only if the locked row itself has changed. Without
 * this check, a job that another table marks as finished could run twice.
 *
 * @param limit the most rows that the claim may return
 * @param again whether the statement excludes rows that an earlier attempt of this claim has locked
 */
public record ClaimSql(RowTable table, String predicate, String order, int limit, boolean again) {
    private static final String ID = "rowlock_id_";
    private static final String SKIP_LOCKED = " skip locked";
    private static final String FOR_UPDATE = RowSql.clause(RowLockMode.FOR_UPDATE);

    /**
     * Returns a statement that claims rows without locking their keys. The parameters are the binds of the predicate.
     * The limit is part of the text, because with a parameter the server would plan the statement again for each
     * execution.
     */
    public static String skipLocked(ClaimParts claim) {
        return "select * from " + from(claim.table()) + " where " + condition(claim.predicate()) + order(claim.order())
                + " limit " + claim.limit() + ' ' + FOR_UPDATE + SKIP_LOCKED;
    }

    /** Returns a statement that locks rows in the claim's order and returns their ids as texts. */
    public String lock() {
        return RowSql.identity(table) + "select " + table.printedId(alias()) + " from " + from(table.name()) + " where "
                + condition(predicate)
                + (again ? " and not exists (select from " + ids() + " where " + isOfId() + ")" : "")
                + order(order) + " limit " + (again ? "?" : limit) + ' ' + FOR_UPDATE + SKIP_LOCKED;
    }

    public void bindLock(PreparedStatement statement, ClaimParts claim, List<List<String>> before, int limit)
            throws SQLException {
        int next = Part.bind(statement, 1, claim.binds());
        if (again) {
            statement.setInt(bindIds(statement, next, before), limit);
        }
    }

    /**
     * Returns a statement that tries to lock the keys of several ids of a table. The lock functions are called in the
     * select list, and the statement returns a row for each key. The positions of the locked keys are stored in a
     * transaction-local setting, which the next statement reads.
     */
    public static String take() {
        String take = "pg_catalog.pg_try_advisory_xact_lock";
        return "select pg_catalog.set_config('rowlock.claimed', case when k.n = 1 then '' else"
                + " pg_catalog.current_setting('rowlock.claimed') end || case when case when k.printed then " + take
                + '(' + CatalogSql.hash("r.root::pg_catalog.text || ':' || k.s") + ") else " + take
                + "(r.root::integer, k.o) end then k.n::pg_catalog.text || ',' else '' end, true) from (select "
                + KeySql.ROOT + " as root" + KeySql.FROM_TABLE + " offset 0) as r cross join"
                + " unnest(cast(? as integer[]), cast(? as pg_catalog.text[]), cast(? as boolean[])) with ordinality"
                + " as k(o, s, printed, n) order by k.n";
    }

    /**
     * Returns statements that try to lock the keys of locked rows. The last result contains the rows that still match
     * the predicate and whose keys are locked.
     */
    public String read() {
        String rows = "select " + alias() + ".*, " + table.printedId(alias()) + " from " + from(table.name()) + " join "
                + ids() + " on " + isOfId() + " where " + condition(predicate)
                + " and rowlock_k.rowlock_n::pg_catalog.text = any ((select pg_catalog.string_to_array("
                + "pg_catalog.current_setting('rowlock.claimed'), ','))::pg_catalog.text[])"
                + " order by rowlock_k.rowlock_n"
                // Configured id columns are not necessarily unique, so every row with a claimed id must be locked.
                + (table.identity() == Identity.GIVEN ? ' ' + FOR_UPDATE + " of " + alias() + SKIP_LOCKED : "");
        return (isVerified() ? RowSql.verify(table).sql() + "\n;" : "") + take() + "\n;" + rows;
    }

    public boolean isVerified() {
        return table.identity() == Identity.CATALOG;
    }

    public void bindRead(PreparedStatement statement, ClaimParts claim, List<List<String>> ids) throws SQLException {
        int next = isVerified() ? LockCheckSql.bindMark(statement, 1, ResolvedRequest.NONE) : 1;
        Part.bind(statement, bindIds(statement, bindTake(statement, next, table.name(), ids), ids), claim.binds());
    }

    public static int bindTake(PreparedStatement statement, int at, String table, List<List<String>> ids)
            throws SQLException {
        statement.setString(at, table);
        int[] numbers = new int[ids.size()];
        String[] texts = new String[ids.size()];
        boolean[] printed = new boolean[ids.size()];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = RowKey.idText(ids.get(i).stream().map(IdText::canonical).toList());
            printed[i] = ids.get(i).size() != 1 || !IdText.isInt4(texts[i]);
            numbers[i] = printed[i] ? 0 : Integer.parseInt(texts[i]);
        }
        statement.setObject(at + 1, numbers);
        statement.setArray(at + 2, statement.getConnection().createArrayOf("text", texts));
        statement.setObject(at + 3, printed);
        return at + 4;
    }

    /** Returns a FROM item with the given ids and their positions. There is one parameter for each id column. */
    private String ids() {
        return "rows from ("
                + table.each(", ", (column, i) -> "pg_catalog.unnest(" + ManyRowsSql.array("pg_catalog.text") + ')')
                + ") with ordinality as rowlock_k(" + table.each(", ", (column, i) -> ID + i) + ", rowlock_n)";
    }

    private int bindIds(PreparedStatement statement, int at, List<List<String>> ids) throws SQLException {
        for (int i = 0; i < table.columns().size(); i++) {
            int column = i;
            Object[] part = ids.stream().map(id -> id.get(column)).toArray();
            statement.setArray(at + i, statement.getConnection().createArrayOf("text", part));
        }
        return at + table.columns().size();
    }

    private String isOfId() {
        return table.each(
                " and ", (column, i) -> name(column) + " = cast(rowlock_k." + ID + i + " as " + column.type() + ')');
    }

    /**
     * Returns the predicate in brackets, because the predicate may contain OR. The closing bracket is on a separate
     * line, because the predicate may end with a comment.
     */
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
