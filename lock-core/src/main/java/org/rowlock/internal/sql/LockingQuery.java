package org.rowlock.internal.sql;

import java.sql.ResultSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey.Row;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.Shape;
import org.rowlock.internal.request.ResolvedRequest.WaitKind;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.text.Tokens;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.RowKey;

/**
 * The caller's query as the lock statement. A query that reads only columns of the row to lock, by its id, gets the
 * locking clause. The flush then needs no other lock statement, and the query returns the row as it is under the lock.
 * As with FOR UPDATE by hand, the server also computes virtual columns of the row before the wait.
 */
final class LockingQuery {
    private static final LockingQuery NONE = new LockingQuery("", "");

    private static final String NAME = "(?:[a-z_][a-z0-9_$]*+|\"(?:[^\"\\x00]|\"\")++\")";

    /**
     * {@code select COLUMN, .. from TABLE where ID = ?}. The names have no qualifiers, because {@code a.name} may call
     * a function, which would run before the wait for the lock.
     */
    private static final Pattern PATTERN = Pattern.compile(
            "\\s*+select\\s++(?:\\*|" + NAME + "(?:\\s*+,\\s*+" + NAME + ")*+)\\s++from\\s++(" + NAME + "(?:\\." + NAME
                    + "){0,2}+)\\s++where\\s++(" + NAME + ")\\s*+=\\s*+\\?\\s*+",
            Pattern.CASE_INSENSITIVE);

    /** Words that are values and not names, unless they are quoted. */
    private static final Set<String> VALUES = Tokens.words("current_catalog current_date current_role current_schema"
            + " current_time current_timestamp current_user default false localtime localtimestamp null session_user"
            + " system_user true user");

    private static final BoundedCache<String, LockingQuery> QUERIES = new BoundedCache<>();

    /** The normalized name of the table. */
    private final String table;

    /** The column in the condition on the id. */
    private final String column;

    /** The text of the last call, because nearly all calls with the same query use the same table and mode. */
    private volatile @Nullable Text last;

    private record Text(RowTable table, RowLockMode mode, String sql) {}

    private LockingQuery(String table, String column) {
        this.table = table;
        this.column = column;
    }

    /** Returns the flush of a query that can lock the requested row; null for any other request or query. */
    static @Nullable Flush flush(ResolvedRequest request, Tail tail, OpenRows open) {
        if (!request.isOneRow()
                || request.shape() != Shape.NONE
                || request.waitKind() != WaitKind.FOREVER
                || request.front() != null
                || RequestParts.isShared(request.mode())
                || !request.inserts().isEmpty()) {
            return null;
        }
        Part query = tail.parts().get(0);
        RowTable table = request.rows().get(0).table();
        Row row = request.rows().get(0).keys().get(0);
        LockingQuery locking = QUERIES.get(query.sql(), LockingQuery::of);
        if (!table.isLookable() || !locking.reads(table, row, query.binds())) {
            return null;
        }
        Part part = new Part(
                locking.text(query.sql(), table, request.mode()),
                query.binder(),
                (answers, statement) -> {
                    ResultSet rows = statement.getResultSet();
                    answers.row(rows.isBeforeFirst(), 0, 0);
                    open.keep(rows);
                },
                query.binds());
        return new Flush(part.sql(), List.of(part), false, false, false);
    }

    private String text(String query, RowTable of, RowLockMode mode) {
        Text text = last;
        if (text == null || text.mode() != mode || !text.table().equals(of)) {
            text = new Text(of, mode, RowSql.identity(of) + query + RowSql.clause(mode, "", WaitKind.FOREVER));
            last = text;
        }
        return text.sql();
    }

    /** Whether the query finds exactly the given row. Compares only types that PostgreSQL and Java compare alike. */
    private boolean reads(RowTable of, Row row, List<@Nullable Object> binds) {
        if (!table.equals(of.name()) || of.identity() != RowTable.Identity.ONE_COLUMN || binds.size() != 1) {
            return false;
        }
        Column id = of.columns().get(0);
        Object bind = binds.get(0);
        boolean alike = switch (id.kind()) {
            case SMALLINT, INTEGER, BIGINT -> bind instanceof Long || bind instanceof Integer || bind instanceof Short;
            case UUID -> bind instanceof UUID;
            case TEXT, VARCHAR -> bind instanceof String;
            default -> false;
        };
        return alike && id.name().equals(column) && RowKey.givenId(row).get(0).equals(bind.toString());
    }

    private static LockingQuery of(String sql) {
        Matcher query = PATTERN.matcher(sql);
        if (sql.length() > Tokens.LONGEST || !query.matches() || isValue(query.group(1)) || isValue(query.group(2))) {
            return NONE;
        }
        return new LockingQuery(
                TableName.normalize(query.group(1)),
                TableName.parts(query.group(2)).get(0));
    }

    private static boolean isValue(String name) {
        return VALUES.contains(name.toLowerCase(Locale.ROOT));
    }
}
