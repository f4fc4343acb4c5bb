package org.rowlock.jdbc.internal.turn;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.rowlock.LockKey;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.text.SqlState;
import org.rowlock.jdbc.internal.statement.RowKey;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;

/**
 * An advisory lock of a row, as a statement in front of the one that locks the row. It locks only while the transaction
 * has no xid, and so no row: then nobody waits for who waits here but those behind him. Its key is not that of LockKey,
 * for which others wait while they hold rows.
 *
 * <p>The wait is bounded, as whoever has the lock may not have the row. The session's own lock_timeout is back, word
 * for word, when the statement behind it begins. With a snapshot that outlives the statement (REPEATABLE READ) it does
 * nothing.
 */
public final class FrontLock {
    /** How many parameters come before those of the statement. */
    public static final int PARAMETERS = 2;

    private final String table;
    private final String id;
    private final int millis;

    private FrontLock(String table, String id, int millis) {
        this.table = table;
        this.id = id;
        this.millis = millis;
    }

    /**
     * That of the row of a statement; null where the key format has none for its values.
     *
     * @param millis the longest to wait for it
     */
    static @Nullable FrontLock of(Recognised statement, Binds binds, RowKey key, int millis) {
        List<Object> parts = new ArrayList<>(key.values().size());
        key.values().forEach(value -> parts.add(binds.value(value)));
        try {
            List<String> id = LockKey.row(statement.table(), (Object) parts).id();
            String text = String.join(String.valueOf(IdText.SEPARATOR), id);
            return isPlain(statement.table()) ? new FrontLock(statement.table(), text, millis) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Whether it stands in SQL as a literal of any settings as it is. */
    private static boolean isPlain(String text) {
        return text.indexOf('\'') < 0 && text.indexOf('\\') < 0;
    }

    /**
     * Whether an error may be that the lock was waited for too long. Where the server says in which row the wait was,
     * or in which function, it was that of the statement itself.
     */
    static boolean isTimeout(SQLException e) {
        if (!SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            return false;
        }
        ServerErrorMessage said = e instanceof PSQLException error ? error.getServerErrorMessage() : null;
        return said == null || said.getWhere() == null;
    }

    /** Whether {@link #withLiteral} may be used. */
    public boolean hasLiteral() {
        return isPlain(id);
    }

    /** Whether {@link #withParameter} of the two is the same for the same statement. */
    public boolean isLike(FrontLock other) {
        return table.equals(other.table);
    }

    /** The lock and a statement behind it; the first {@link #PARAMETERS} are those of {@link #bind}. */
    public String withParameter(String sql) {
        return inFrontOf(sql, "cast(? as pg_catalog.text)", "cast(? as integer)");
    }

    /** The lock and a statement behind it. */
    public String withLiteral(String sql) {
        return inFrontOf(sql, '\'' + id + '\'', Integer.toString(millis));
    }

    /** Each select is done before the one around it, which "offset 0" keeps apart. */
    private String inFrontOf(String sql, String id, String millis) {
        return "select pg_catalog.set_config('lock_timeout', l.own, true) from ("
                + "select a.own, pg_catalog.pg_advisory_xact_lock("
                + CatalogSql.hash("'front:' || " + CatalogSql.root("a.oid") + "::pg_catalog.text || ':' || " + id)
                + ") from ("
                + "select c.oid, c.own, pg_catalog.set_config('lock_timeout', greatest(1, least(" + millis + ", "
                + part("c.own") + ", " + part("pg_catalog.current_setting('statement_timeout')")
                + "))::integer::pg_catalog.text, true) from (select pg_catalog.to_regclass('" + table + "') as oid,"
                + " pg_catalog.current_setting('lock_timeout') as own offset 0) as c"
                + " where pg_catalog.pg_current_xact_id_if_assigned() is null"
                + " and pg_catalog.current_setting('transaction_isolation') in ('read committed', 'read uncommitted')"
                + " offset 0) as a offset 0) as l;" + sql;
    }

    /** The part of a timeout that may be spent, in milliseconds; null where it is not set. */
    private static String part(String timeout) {
        return "nullif(extract(epoch from " + timeout + "::pg_catalog.interval) * " + 1000 / Turns.PART_OF_TIMEOUT
                + ", 0)";
    }

    /** Sets the first parameters. */
    public void bind(PreparedStatement statement) throws SQLException {
        statement.setString(1, id);
        statement.setInt(2, millis);
    }
}
