package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Locale;
import org.rowlock.LockKey.Row;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.ResolvedRequest.WaitKind;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.value.RowKey;

/** The statements that acquire row locks: SELECT ... FOR UPDATE with a condition on the id columns. */
public final class RowSql {
    /** The alias of the table in {@link #identityQuery}. {@code ServerErrors} recognizes an error by this alias. */
    public static final String IDENTITY_ALIAS = "rowlock_p";

    /** The function that checks the type of a column. An error about a wrong type contains this text. */
    public static final String TYPE_CHECK = "pg_catalog.array_eq(";

    /** The text before the known type of a column in {@link #identityQuery}. */
    private static final String NULL_OF_TYPE = "cast(null as ";

    static final String ALIAS = "rowlock_t";

    /** A select list for statements whose result only shows whether a row exists. */
    private static final String FOUND = "1";

    private RowSql() {}

    static String identity(RowTable table) {
        return "with rowlock_identity as " + identityQuery(table) + ' ';
    }

    /**
     * Returns a query that is valid only while the id columns have their known types. If the primary key is one column
     * and not deferrable, this column must also still be the primary key. An invalid query raises 42803, 42883, 42703
     * or 42704. The rest of the statement does not use the query, so the server analyses the query, but never plans or
     * runs it. After DDL or with another search_path, the server analyses the query again.
     */
    static String identityQuery(RowTable table) {
        String types = table.each(
                " and ",
                (column, i) -> TYPE_CHECK + "array[" + IDENTITY_ALIAS + '.' + TableName.quoteIdentifier(column.name())
                        + "], " + NULL_OF_TYPE + column.arrayType() + "))");
        String from = " from " + TableName.quoted(table.name()) + " as " + IDENTITY_ALIAS;
        return "(select"
                + (table.identity() == Identity.ONE_COLUMN
                        ? ' ' + IDENTITY_ALIAS + ".ctid" + from + " group by " + IDENTITY_ALIAS + '.'
                                + TableName.quoteIdentifier(
                                        table.columns().get(0).name()) + " having " + types
                        : from + " where " + types)
                + ")";
    }

    /**
     * Returns a statement that locks one row, and returns a result row if the row exists.
     *
     * @param required whether an absent row raises an error, so that the following statements in the round trip do not
     *     run
     */
    static Part one(RowTable table, RowLockMode mode, WaitKind wait, boolean required) {
        Part lock = one(table, FOUND + WaitSql.rearm(wait, ""), clause(mode, "", wait), 0, 0);
        return required ? required(table, lock, "(select pg_catalog.count(*) from rowlock_l)", 0) : lock;
    }

    /**
     * Returns a statement that locks a row and returns a result row. If another transaction has locked the row, the
     * statement locks and returns nothing.
     */
    static Part oneIfFree(RowTable table, RowLockMode mode) {
        return one(table, FOUND, ' ' + clause(mode) + " skip locked", 0, 0);
    }

    static Part readUnlocked(RowTable table) {
        return new Part(look(table), binder(0, 0), Answers::readUnlocked);
    }

    /** Returns a query that finds the row with the id, whether the row is locked or not. */
    public static String look(RowTable table) {
        return select(table, FOUND, "");
    }

    /**
     * Returns a statement that tries to lock a row that another transaction has inserted and committed. The statement
     * ignores rows that this transaction has inserted. Like FOR UPDATE, the statement also ignores rows that row
     * security allows the role to read, but not to lock.
     */
    public static String lockOfOthers(RowTable table, RowLockMode mode) {
        String own = "pg_catalog.pg_current_xact_id_if_assigned()";
        // The transaction id in xmin has only the last 32 bits. Of all 64-bit ids with these bits, the id nearest to
        // the current transaction id is the right one.
        String inserter = "(" + own + "::pg_catalog.text::bigint + (xmin::pg_catalog.text::bigint - " + own
                + "::pg_catalog.text::bigint + 2147483648 & 4294967295) - 2147483648)";
        String unlocked = select(
                table,
                FOUND,
                " and pg_catalog.pg_xact_status(" + inserter + "::pg_catalog.text::pg_catalog.xid8)"
                        + " is distinct from 'in progress'" + clause(mode, "", WaitKind.NO_WAIT));
        // A view has no column xmin. In this case the name xmin refers to the null column of x.
        return "select l.* from (select null::pg_catalog.xid) as x(xmin), lateral (" + unlocked + ") as l";
    }

    /**
     * Returns a lock statement that raises an error if it finds fewer rows than requested. The lock is in a WITH
     * clause. The planner cannot remove the lock, because the statement returns the rows of the clause.
     *
     * @param present an expression for the number of rows that the WITH clause {@code rowlock_l} has locked
     */
    static Part required(RowTable table, Part lock, String present, int group) {
        return new Part(
                inWith(table, lock) + ", case when " + present + " < cast(? as integer) then "
                        + LockCheckSql.raiseAbsent()
                        + " end from (select) as o left join rowlock_l as l on true",
                (statement, at, request) -> {
                    int next = lock.binder().bind(statement, at, request);
                    statement.setInt(next, request.rows().get(group).keys().size());
                    return LockCheckSql.bindMark(statement, next + 1, request);
                },
                lock.reader());
    }

    /**
     * Returns a lock statement that ends with a locking clause, which by itself locks nothing. A pooler that splits
     * reads, such as Pgpool-II, does not find the clause in a subquery, and would send the next query to a standby.
     */
    static String clauseLast(RowTable table, Part lock, RowLockMode mode) {
        return inWith(table, lock) + " from rowlock_l as l " + clause(mode);
    }

    private static String inWith(RowTable table, Part lock) {
        String identity = identity(table);
        return identity.stripTrailing() + ", rowlock_l as (" + lock.sql().substring(identity.length()) + ") select l.*";
    }

    private static Part one(RowTable table, String found, String clause, int group, int index) {
        return new Part(
                identity(table) + select(table, found, clause),
                binder(group, index),
                (answers, statement) -> answers.row(statement, group, index));
    }

    private static String select(RowTable table, String found, String clause) {
        return "select " + found + " from " + TableName.quoted(table.name()) + " as " + ALIAS + " where "
                + table.each(" and ", (column, i) -> column(column) + " = cast(? as " + column.type() + ')') + clause;
    }

    static Part.Binder binder(int group, int index) {
        return (statement, at, request) ->
                bindId(statement, at, request.rows().get(group).keys().get(index));
    }

    public static int bindId(PreparedStatement statement, int at, Row key) throws SQLException {
        int index = at;
        for (String part : RowKey.givenId(key)) {
            statement.setString(index++, part);
        }
        return index;
    }

    /** Returns a statement that locks one of several rows, and returns a result row if the row exists. */
    static Part oneOf(RowTable table, int group, int index, RowLockMode mode, WaitKind wait) {
        return one(table, FOUND, clause(mode, "", wait), group, index);
    }

    static String column(Column column) {
        return ALIAS + '.' + TableName.quoteIdentifier(column.name());
    }

    /**
     * Returns a statement that checks, after a row lock, that the columns are the primary key of the table. The row
     * lock prevents DDL, so the primary key cannot change afterwards. If the columns are not the primary key, the
     * statement raises an error, and the server does not run the following statements.
     */
    static Part verify(RowTable table) {
        return new Part(
                "select case when " + isPrimaryKey(table) + " then '' else " + LockCheckSql.raiseStale() + " end",
                LockCheckSql::bindMark,
                Part.UNREAD);
    }

    /**
     * Returns the condition that the columns are still the primary key. The condition contains the name of the table
     * rather than the OID, so that tenants with separate schemas use the same statement.
     *
     * <p>The condition has no parameters, because with parameters the server would plan the query for every call. The
     * name of the table is a text literal, because the server resolves a literal of type regclass only once.
     */
    static String isPrimaryKey(RowTable table) {
        String same = table.each(
                "",
                (column, i) -> " and pg_catalog.pg_get_indexdef(i.indexrelid, " + (i + 1)
                        + ", false) = pg_catalog.quote_ident(" + literal(column.name()) + ")");
        return "exists (select 1 from pg_catalog.pg_index as i where i.indrelid = cast(cast("
                + literal(table.name()) + " as pg_catalog.text) as pg_catalog.regclass) and i.indisprimary"
                + " and i.indnkeyatts = "
                + table.columns().size() + same + ')';
    }

    /** Returns a literal whose meaning does not depend on standard_conforming_strings. */
    private static String literal(String text) {
        return "E'" + text.replace("\\", "\\\\").replace("'", "''") + '\'';
    }

    static String clause(RowLockMode mode, String of, WaitKind wait) {
        return ' ' + clause(mode) + of + (wait == WaitKind.NO_WAIT ? " nowait" : "");
    }

    static String clause(RowLockMode mode) {
        return mode.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
