package org.rowlock.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.ResolvedRequest.Shape;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.value.KeyWithoutRow;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.RowKey;

/**
 * Key version 1 as SQL: the server derives the arguments of a lock function from parameters. The rules are published in
 * docs/keys.md, and must never change, because old and new versions of Rowlock must exclude each other.
 */
public final class KeySql {
    /** An expression for the oid of a key's table: the root of the partition tree, or the table itself. */
    static final String ROOT = CatalogSql.root("c.oid");

    /**
     * A FROM clause with the table as {@code c}. The server resolves the name of the table with the session's
     * search_path. OFFSET 0 makes the server resolve the name only once.
     */
    static final String FROM_TABLE =
            " from (select cast(cast(? as pg_catalog.text) as pg_catalog.regclass) as oid offset 0) as c";

    /**
     * A condition: {@code c} is a table or a partitioned table whose rows the role may lock. Like FOR UPDATE, the
     * condition requires the privilege UPDATE on at least one column. The condition calls functions instead of reading
     * pg_class, because a scan of pg_class would cost more than the lock.
     */
    static final String IS_TABLE = "pg_catalog.has_any_column_privilege(c.oid, 'update')"
            + " and (pg_catalog.pg_relation_filenode(c.oid) is not null or pg_catalog.pg_partition_root(c.oid) is"
            + " not null)"
            + " and pg_catalog.pg_relation_is_updatable(c.oid, false) <> 0";

    /** An expression for the reason why {@link #IS_TABLE} is false; null if the condition is true. */
    static final String WHY_NOT_TABLE =
            "case when " + IS_TABLE + " then null when pg_catalog.has_any_column_privilege(c.oid, 'update') then '"
                    + Outcome.Refused.NOT_A_TABLE + "' else '" + Outcome.Refused.NO_PRIVILEGE + "' end";

    /** The kinds of keys in {@link #FROM_MANY}. The kind 0 is a pair of numbers. */
    private static final int TEXT = 1;

    private static final int NUMBER = 2;

    private KeySql() {}

    public static String functionSuffix(RowLockMode mode) {
        return RequestParts.isShared(mode) ? "_shared" : "";
    }

    /** Returns a call of a lock function for the key {@code k} of {@link #FROM_MANY}. */
    public static String call(String function) {
        String shared = function + functionSuffix(RowLockMode.FOR_SHARE);
        return "case when k.shared then case when k.b is null then " + shared + "(k.c, k.o) else " + shared
                + "(k.b) end when k.b is null then " + function + "(k.c, k.o) else " + function + "(k.b) end";
    }

    static String arguments(Shape shape) {
        return switch (shape) {
            case ROW_INT -> ROOT + "::integer, cast(? as integer)";
            case ROW_TEXT -> CatalogSql.hash(ROOT + "::pg_catalog.text || ':' || cast(? as pg_catalog.text)");
            case NAME -> CatalogSql.hash("cast(? as pg_catalog.text)");
            case NUMBER -> "cast(? as bigint)";
            case PAIR -> "cast(? as integer), cast(? as integer)";
            case ROWS_INT -> "t.root::integer, k.o";
            case NONE, MANY -> throw new IllegalArgumentException(shape + " has no arguments");
        };
    }

    /**
     * Returns a WITH clause that locks the tables in ROW SHARE mode until the transaction ends, as FOR UPDATE does.
     * Until then, these tables cannot be renamed and replaced by other tables. The statement does not use the queries
     * of the clause, so the server only locks the tables, and never runs the queries. Without the clause, the server
     * could still resolve a name to the oid that the name had before a rename. The server would then lock keys of the
     * replaced table.
     *
     * @param known the tables whose id columns must still have the types that Rowlock has looked up
     */
    public static String holding(List<String> tables, List<RowTable> known) {
        if (tables.isEmpty()) {
            return "";
        }
        StringBuilder with = new StringBuilder("with ");
        for (int i = 0; i < tables.size(); i++) {
            with.append(i == 0 ? "" : ", ").append("rowlock_held_").append(i).append(" as (select from ");
            with.append(TableName.quoted(tables.get(i))).append(" for key share)");
        }
        for (int i = 0; i < known.size(); i++) {
            with.append(", rowlock_identity_").append(i).append(" as ").append(RowSql.identityQuery(known.get(i)));
        }
        return with.append(' ').toString();
    }

    /**
     * Returns the FROM clause for {@link #arguments}; empty if the key has no table. The parameter of the clause
     * follows the parameters of {@link #arguments}.
     */
    static String from(Shape shape) {
        return shape == Shape.ROW_INT || shape == Shape.ROW_TEXT ? FROM_TABLE : "";
    }

    static int bindArguments(PreparedStatement statement, int at, LockKey key) throws SQLException {
        if (key instanceof LockKey.Row row) {
            if (RowKey.isPair(row)) {
                statement.setInt(at, Integer.parseInt(row.id().get(0)));
            } else {
                statement.setString(at, RowKey.idText(row.id()));
            }
        } else if (key instanceof KeyWithoutRow.Name name) {
            statement.setString(at, name.name());
        } else if (key instanceof KeyWithoutRow.RawNumber number) {
            statement.setLong(at, number.number());
        } else if (key instanceof KeyWithoutRow.RawPair pair) {
            statement.setInt(at, pair.first());
            statement.setInt(at + 1, pair.second());
            return at + 2;
        }
        return at + 1;
    }

    static int bindFrom(PreparedStatement statement, int at, LockKey key) throws SQLException {
        if (key instanceof LockKey.Row row) {
            statement.setString(at, row.table());
            return at + 1;
        }
        return at;
    }

    /**
     * The FROM clause for several rows of one table with int4 ids. This clause is cheaper than {@link #FROM_MANY}. The
     * ids must be distinct and in ascending order, which is the lock order of all callers.
     */
    static final String FROM_ROWS_INT = " from (select " + ROOT + " as root, " + WHY_NOT_TABLE + " as refused"
            + FROM_TABLE + " offset 0) as t cross join pg_catalog.unnest(cast(? as integer[])) as k(o)";

    static int bindInts(PreparedStatement statement, int at, List<LockKey> keys) throws SQLException {
        int[] ids = new int[keys.size()];
        for (int i = 0; i < ids.length; i++) {
            if (keys.get(i) instanceof LockKey.Row row) {
                ids[i] = Integer.parseInt(row.id().get(0));
            }
        }
        Arrays.sort(ids);
        statement.setObject(at, ids);
        return at + 1;
    }

    /**
     * The FROM clause for several keys. The single row of {@code t} contains the tables, each resolved once. If a name
     * is not the name of a lockable table, {@code t.refused} contains the reason and the name; otherwise null. The rows
     * of {@code k} are the derived keys, in the lock order of all callers: pairs first, then bigints. {@code k.b} is
     * null for a pair. A key with several spellings has a row for each spelling. If one spelling is exclusive, {@code
     * k.shared} is false for all spellings of the key. An unnest with several arguments is special syntax, and must not
     * be qualified with a schema.
     */
    public static final String FROM_MANY = " from (select pg_catalog.array_agg(" + ROOT + " order by c.n) as oids,"
            + " pg_catalog.min(" + WHY_NOT_TABLE + " || c.name) as refused"
            + " from (select x.name, x.n, cast(x.name as pg_catalog.regclass) as oid"
            + " from pg_catalog.unnest(cast(? as pg_catalog.text[])) with ordinality as x(name, n) offset 0)"
            + " as c) as t"
            + " left join lateral (select s.c, s.o, s.b, pg_catalog.bool_and(s.shared) over"
            + " (partition by s.b is not null, s.c, s.o, s.b) as shared from (select"
            + " case when d.kind = 0 then coalesce(t.oids[d.t]::integer, d.c) end as c,"
            + " case when d.kind = 0 then d.o end as o, case d.kind when 1 then "
            + CatalogSql.hash("coalesce(t.oids[d.t]::pg_catalog.text || ':', '') || d.s")
            + " when 2 then d.b end as b, d.shared"
            + " from unnest(cast(? as integer[]), cast(? as integer[]), cast(? as integer[]), cast(? as integer[]),"
            + " cast(? as pg_catalog.text[]), cast(? as bigint[]), cast(? as boolean[]))"
            + " as d(kind, t, c, o, s, b, shared) offset 0) as s order by s.b is not null, s.c, s.o, s.b offset 0) as k"
            + " on true";

    /**
     * Sets the parameters of {@link #FROM_MANY}. No array contains null, because with array_nulls off the server would
     * read null as a text.
     */
    public static int bindMany(PreparedStatement statement, int at, List<LockKey> keys, RequestParts request)
            throws SQLException {
        int size = keys.size();
        List<String> tables = new ArrayList<>(1);
        int[] kind = new int[size];
        int[] table = new int[size];
        int[] first = new int[size];
        int[] second = new int[size];
        String[] text = new String[size];
        long[] number = new long[size];
        boolean[] shared = new boolean[size];
        for (int i = 0; i < size; i++) {
            LockKey key = keys.get(i);
            shared[i] = RequestParts.isShared(request.modeOf(key));
            text[i] = "";
            if (key instanceof LockKey.Row row) {
                table[i] = ordinal(tables, row.table());
            }
            if (key instanceof LockKey.Row row && RowKey.isPair(row)) {
                second[i] = Integer.parseInt(row.id().get(0));
            } else if (key instanceof KeyWithoutRow.RawPair pair) {
                first[i] = pair.first();
                second[i] = pair.second();
            } else if (key instanceof KeyWithoutRow.RawNumber raw) {
                kind[i] = NUMBER;
                number[i] = raw.number();
            } else {
                kind[i] = TEXT;
                text[i] = key instanceof LockKey.Row row ? RowKey.idText(row.id()) : ((KeyWithoutRow.Name) key).name();
            }
        }
        Connection connection = statement.getConnection();
        statement.setArray(at, connection.createArrayOf("text", tables.toArray()));
        int[][] integers = {kind, table, first, second};
        for (int i = 0; i < integers.length; i++) {
            statement.setObject(at + 1 + i, integers[i]);
        }
        statement.setArray(at + 5, connection.createArrayOf("text", text));
        statement.setObject(at + 6, number);
        statement.setObject(at + 7, shared);
        return at + 8;
    }

    /** A condition: the row {@code l} of pg_locks is a lock on the derived key {@code k}. */
    public static final String IS_LOCK = "l.objsubid = case when k.b is null then 2 else 1 end"
            + " and l.classid = case when k.b is null then k.c::pg_catalog.oid else (k.b >> 32 &"
            + " 4294967295)::pg_catalog.oid end"
            + " and l.objid = case when k.b is null then k.o::pg_catalog.oid else (k.b & 4294967295)::pg_catalog.oid"
            + " end";

    private static int ordinal(List<String> tables, String table) {
        int index = tables.lastIndexOf(table);
        if (index < 0) {
            tables.add(table);
            return tables.size();
        }
        return index + 1;
    }
}
