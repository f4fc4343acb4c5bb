package org.rowlock;

import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowTable.Column;

/**
 * The id columns of tables whose rows are locked: the primary key from the catalog, or the columns given. Looked up on
 * first use and kept by database, user and name. What a name means can change at any time, so every row lock checks in
 * its own round trip that they still are the primary key of what it means ({@link RowSql#verify}).
 */
final class PrimaryKeys {
    /** The type behind a domain: a column's values, and so its keys, are of that type. */
    private static final String BASE_TYPE = "(with recursive b(oid, base) as ("
            + "select t.oid, t.typbasetype from pg_catalog.pg_type t where t.oid = a.atttypid"
            + " union all select t.oid, t.typbasetype from b join pg_catalog.pg_type t on t.oid = b.base)"
            + " select format_type(b.oid, -1) from b where b.base = 0)";

    /** One row at least, for the kind of the table. */
    private static final String COLUMNS =
            "select c.relkind, a.attname, " + BASE_TYPE + " from pg_catalog.pg_class c left join (";

    private static final String OF_TABLE = " where c.oid = cast(cast(? as text) as regclass) order by k.n";
    private static final String FROM_CATALOG = COLUMNS
            + "pg_catalog.pg_index i cross join lateral unnest(i.indkey[0:i.indnkeyatts - 1]) with ordinality as k(attnum, n)"
            + " join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum)"
            + " on i.indrelid = c.oid and i.indisprimary" + OF_TABLE;
    private static final String FROM_NAMES = COLUMNS
            + "unnest(cast(? as text[])) with ordinality as k(name, n)"
            + " join pg_catalog.pg_attribute a on a.attname = k.name and not a.attisdropped)"
            + " on a.attrelid = c.oid" + OF_TABLE;

    /** Beyond this many the names of tables are not a program's own, and keeping all would be a leak. */
    private static final int MOST_KEPT = 10_000;

    private final ConcurrentMap<Place, RowTable> known = new ConcurrentHashMap<>();

    /** Only keeps apart what can be told apart for free; the server reports the search_path from version 18 on. */
    private record Place(
            String database, String user, @Nullable String searchPath, String table, List<String> given) {
        static Place of(PgSession session, String table, List<String> given) throws SQLException {
            return new Place(session.url(), session.user(), session.reported("search_path"), table, given);
        }
    }

    /**
     * The id columns of a table.
     *
     * @param given the columns given by configuration, or none for the primary key
     */
    RowTable of(PgSession session, String table, List<String> given) throws SQLException {
        Place place = Place.of(session, table, given);
        RowTable columns = known.get(place);
        if (columns == null) {
            columns = lookUpFirst(session, table, given);
            if (known.size() >= MOST_KEPT) {
                known.clear();
            }
            known.put(place, columns);
        }
        return columns;
    }

    /** If the look-up is the first statement of the transaction it is ended, so that it takes no snapshot for the caller. */
    private static RowTable lookUpFirst(PgSession session, String table, List<String> given) throws SQLException {
        if (session.hasBegun()) {
            return lookUp(session, table, given);
        }
        RowTable columns;
        try {
            columns = lookUp(session, table, given);
        } catch (SQLException | RuntimeException e) {
            try {
                session.execute("rollback");
            } catch (SQLException notRolledBack) {
                e.addSuppressed(notRolledBack);
            }
            throw e;
        }
        session.execute("rollback");
        return columns;
    }

    /** Forgets what is kept of a table, after the server has refused a column: the table may have been replaced. */
    void forget(String table) {
        known.keySet().removeIf(place -> place.table().equals(table));
    }

    private static RowTable lookUp(PgSession session, String table, List<String> given) throws SQLException {
        List<Column> columns = new ArrayList<>();
        String kind = "";
        try (PreparedStatement statement = session.prepare(given.isEmpty() ? FROM_CATALOG : FROM_NAMES)) {
            int at = 1;
            if (!given.isEmpty()) {
                Array names = session.connection().createArrayOf("text", given.toArray());
                statement.setArray(at++, names);
            }
            statement.setString(at, table);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    kind = row.getString(1);
                    if (row.getString(2) != null) {
                        columns.add(new Column(row.getString(2), row.getString(3)));
                    }
                }
            }
        }
        check(table, kind, given, columns);
        return new RowTable(table, List.copyOf(columns), !given.isEmpty());
    }

    private static void check(String table, String kind, List<String> given, List<Column> columns) {
        if (columns.isEmpty() && !kind.equals("r") && !kind.equals("p")) {
            throw new LockTargetException(
                    "Cannot lock rows of " + table + ": it is " + kindName(kind) + ". Name the table behind it.",
                    SqlState.WRONG_OBJECT_TYPE,
                    null);
        }
        if (given.isEmpty() && columns.isEmpty()) {
            throw new LockTargetException(
                    "Cannot lock rows of " + table + ": it has no primary key, and strategies ROW and BOTH need to know"
                            + " the id columns. Add a primary key, give the columns with RowLocks.builder().idColumns(\""
                            + table + "\", ...), or use strategy ADVISORY.",
                    null,
                    null);
        }
        List<String> missing = new ArrayList<>(given);
        columns.forEach(column -> missing.remove(column.name()));
        if (!missing.isEmpty()) {
            throw new LockTargetException(
                    "Cannot lock rows of " + table + ": it has no column " + String.join(", ", missing)
                            + ", which idColumns names. Columns are written as the catalog has them, without quotes.",
                    SqlState.UNDEFINED_COLUMN,
                    null);
        }
    }

    /** pg_class.relkind in words. */
    private static String kindName(String kind) {
        return switch (kind) {
            case "v" -> "a view";
            case "m" -> "a materialized view";
            case "i", "I" -> "an index";
            case "S" -> "a sequence";
            case "f" -> "a foreign table";
            case "c" -> "a composite type";
            case "" -> "not in the transaction's snapshot";
            default -> "not a table";
        };
    }
}
