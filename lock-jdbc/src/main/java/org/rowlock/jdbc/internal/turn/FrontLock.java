package org.rowlock.jdbc.internal.turn;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.text.IdText;
import org.rowlock.jdbc.internal.statement.RowKey;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;

/**
 * The advisory lock of a row, by key version 1 (docs/keys.md), as a statement in front of the one that locks the row. It locks
 * only while the transaction has no xid, and so no row: then nobody waits for who waits here but those behind him.
 */
public final class FrontLock {
    private static final String ROOT = "coalesce(pg_catalog.pg_partition_root(c.oid), c.oid)::pg_catalog.oid";

    private final String table;
    private final String id;
    private final boolean pair;

    private FrontLock(String table, String id, boolean pair) {
        this.table = table;
        this.id = id;
        this.pair = pair;
    }

    /** That of the row of a statement; null where the key format has none for its values. */
    static @Nullable FrontLock of(Recognised statement, Binds binds, RowKey key) {
        List<Object> parts = new ArrayList<>(key.values().size());
        key.values().forEach(value -> parts.add(binds.value(value)));
        try {
            List<String> id = LockKey.row(statement.table(), (Object) parts).id();
            String text = id.size() == 1 ? id.get(0) : String.join(String.valueOf(IdText.SEPARATOR), id);
            return isPlain(statement.table())
                    ? new FrontLock(statement.table(), text, id.size() == 1 && IdText.isInt4(text))
                    : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Whether it stands in SQL as a literal of any settings as it is. */
    private static boolean isPlain(String text) {
        return text.indexOf('\'') < 0 && text.indexOf('\\') < 0;
    }

    /** Whether {@link #withLiteral} may be used. */
    public boolean hasLiteral() {
        return isPlain(id);
    }

    /** Whether {@link #withParameter} of the two is the same for the same statement. */
    public boolean isLike(FrontLock other) {
        return pair == other.pair && table.equals(other.table);
    }

    /** The lock and a statement behind it; the first parameter is that of {@link #bind}. */
    public String withParameter(String sql) {
        return inFrontOf(sql, pair ? "cast(? as integer)" : "cast(? as pg_catalog.text)");
    }

    /** The lock and a statement behind it. */
    public String withLiteral(String sql) {
        return inFrontOf(sql, pair ? '(' + id + ')' : '\'' + id + '\'');
    }

    private String inFrontOf(String sql, String argument) {
        String arguments = pair
                ? ROOT + "::integer, " + argument
                : "('x' || pg_catalog.substr(pg_catalog.md5(" + ROOT + "::pg_catalog.text || ':' || " + argument
                        + "), 1, 16))::bit(64)::bigint";
        return "select case when pg_catalog.pg_current_xact_id_if_assigned() is null then pg_catalog.pg_advisory_xact_lock("
                + arguments + ") end from (select pg_catalog.to_regclass('" + table + "') as oid offset 0) as c; "
                + sql;
    }

    /** Sets the first parameter. */
    public void bind(PreparedStatement statement) throws SQLException {
        if (pair) {
            statement.setInt(1, Integer.parseInt(id));
        } else {
            statement.setString(1, id);
        }
    }
}
