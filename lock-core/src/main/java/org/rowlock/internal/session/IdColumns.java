package org.rowlock.internal.session;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.TablePlace;

/**
 * The id columns of tables whose rows are locked: the primary key from the catalog, or the given columns. The columns
 * are looked up on first use, and cached by database, user and name. A name may mean another table at any time.
 * Therefore every row lock checks in its own round trip that the columns are still the primary key and have the same
 * types ({@link RowSql#identity}, {@link RowSql#verify}).
 */
// Tables are compared by identity, because a newer look-up may have found an equal table, which must not be forgotten.
@SuppressWarnings("ReferenceEquality")
public final class IdColumns {
    /** The type behind a domain. Values and keys of the column have that type. */
    private static final String BASE_TYPE = "(with recursive b(oid, base) as ("
            + "select t.oid, t.typbasetype from pg_catalog.pg_type t where t.oid = a.atttypid"
            + " union all select t.oid, t.typbasetype from b join pg_catalog.pg_type t on t.oid = b.base)"
            + " select b.oid from b where b.base = 0)";

    /**
     * The suffix for an array type of the column's type. An array of arrays has the same type as an array of its
     * elements; whether this is so for vectors depends on the server's version.
     */
    private static final String ARRAY_OF = "case when t.typcategory = 'A' and t.typtype <> 'd' and (t.typarray = 0 or"
            + " pg_catalog.pg_typeof(array[cast(null as pg_catalog.oidvector)])"
            + " = cast('pg_catalog.oidvector' as pg_catalog.regtype)) then '' else '[]' end";

    /**
     * The query for the id columns. It always returns a row, with the kind of the relation. The names of types include
     * their schemas.
     */
    private static final String COLUMNS = "select c.relkind, a.attname, " + typeName("''", BASE_TYPE) + ", "
            + typeName(ARRAY_OF, "a.atttypid")
            + ", " + PgSession.SCHEMAS
            + ", c.relnamespace, (select l.collisdeterministic from pg_catalog.pg_collation l"
            + " where l.oid = a.attcollation) is not false, exists (select from pg_catalog.pg_type t"
            + " where t.oid = " + BASE_TYPE + " and t.typtype = 'e'), " + CatalogSql.IS_CITUS
            + ", not c.relrowsecurity and c.relkind in ('r', 'p'), c.oid, " + CatalogSql.COUNTS_ITS_ROWS + ", ";

    private static final String FROM = " from pg_catalog.pg_class c left join (";

    private static final String OF_TABLE =
            " where c.oid = pg_catalog.to_regclass(cast(? as pg_catalog.text)) order by k.n";

    /** A query that raises the server's error for a table that does not exist. */
    private static final String NO_TABLE = "select cast(cast(? as pg_catalog.text) as pg_catalog.regclass)";

    private static final String FROM_CATALOG = COLUMNS + "i.indimmediate" + FROM + CatalogSql.KEY_COLUMNS + ')'
            + " on i.indrelid = c.oid and i.indisprimary" + OF_TABLE;
    private static final String FROM_NAMES = COLUMNS + "false" + FROM
            + "pg_catalog.unnest(cast(? as pg_catalog.text[])) with ordinality as k(name, n)"
            + " join pg_catalog.pg_attribute a on a.attname = k.name and not a.attisdropped)"
            + " on a.attrelid = c.oid" + OF_TABLE;

    private static String typeName(String suffix, String type) {
        return "(select pg_catalog.format('%I.%I%s', n.nspname, t.typname, " + suffix + ") from pg_catalog.pg_type t"
                + " join pg_catalog.pg_namespace n on n.oid = t.typnamespace where t.oid = " + type + ')';
    }

    /** The largest number of entries. When there are more, which is rare, all entries are discarded. */
    private static final int MOST_KEPT = 10_000;

    private final ConcurrentMap<TablePlace, Known> known = new ConcurrentHashMap<>();

    /**
     * The locks for first look-ups. A look-up is expensive for a new session, so of several callers at startup only one
     * looks up, and the others wait.
     */
    private final ConcurrentMap<TablePlace, ReentrantLock> firstLooks = new ConcurrentHashMap<>();

    /** The URLs of databases with Citus. */
    private final Set<String> urlsOfCitus = ConcurrentHashMap.newKeySet();

    /**
     * The known facts about a table.
     *
     * @param table the table with its id columns; no columns if it has no primary key
     * @param missing the configured columns that do not exist
     * @param kind the kind of the relation, as in pg_class
     * @param schemas the schemas that were searched for it
     * @param schema the schema in which it was found
     * @param oid the oid of the table, which is the same under any name; 0 for none
     * @param isCitus whether the table may be on other machines
     * @param countsRows whether a write to one row of the table always reports one row
     * @param isStale whether the server has since reported that these facts are wrong
     */
    public record Known(
            RowTable table,
            List<String> missing,
            String kind,
            String schemas,
            long schema,
            long oid,
            boolean isCitus,
            boolean countsRows,
            boolean isStale) {
        /**
         * The entry for a name that means different tables in different sessions. One example is a schema per tenant,
         * if the server does not report the search_path. Other examples are a schema with the name of the role after
         * SET ROLE, and a temporary table of the same name. For such a name, each look-up first queries the schemas of
         * the session.
         */
        private static final Known SEVERAL =
                new Known(RowTable.named(""), List.of(), "", "", 0, 0, false, false, false);

        /**
         * Whether the name means several tables, rather than one table that has changed. If the new facts belong to
         * another schema, or equal the cached facts that were wrong, the name means several tables.
         */
        private boolean isOfAnother(Known found) {
            return schema != found.schema || table.equals(found.table);
        }

        /** Whether all id columns are known: all the configured ones, or a primary key. */
        public boolean isWhole() {
            return missing.isEmpty() && !table.columns().isEmpty();
        }

        private Known stale() {
            return new Known(table, missing, kind, schemas, schema, oid, isCitus, countsRows, true);
        }
    }

    /** Whether tables may be on other machines, as far as is known. */
    public boolean isOnCitus(PgSession session) throws SQLException {
        return !urlsOfCitus.isEmpty() && urlsOfCitus.contains(session.url());
    }

    /** Records that the database has Citus, as a look-up of a table has shown. */
    public void foundCitus(PgSession session) throws SQLException {
        urlsOfCitus.add(session.url());
    }

    /**
     * Returns the facts about a table, and looks them up if they are not cached.
     *
     * @param given the configured columns, or none for the primary key
     */
    public Known of(PgSession session, String table, List<String> given) throws SQLException {
        TablePlace place = new TablePlace(session.url(), session.user(), session.reported("search_path"), table, given);
        Known kept = known.get(place);
        if (kept != null) {
            return kept == Known.SEVERAL || kept.isStale() ? known(session, place) : kept;
        }
        ReentrantLock look = firstLooks.computeIfAbsent(place, of -> new ReentrantLock());
        boolean first = isFirst(look);
        try {
            return known(session, place);
        } finally {
            firstLooks.remove(place, look);
            if (first) {
                look.unlock();
            }
        }
    }

    /**
     * Returns true to one of several callers, which then looks up. The others wait for that caller, but only for a
     * limited time, because it may have lost its server.
     */
    private static boolean isFirst(ReentrantLock look) {
        try {
            return look.tryLock(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Known known(PgSession session, TablePlace given) throws SQLException {
        TablePlace place = given;
        Known kept = known.get(place);
        boolean several = kept == Known.SEVERAL;
        if (several) {
            place = place.in(session.outsideTransaction(() -> session.ask(PgSession.SCHEMAS)));
            kept = known.get(place);
        }
        if (kept != null && !kept.isStale()) {
            return kept;
        }
        Known found = session.outsideTransaction(() -> found(session, given));
        if (found.isCitus()) {
            foundCitus(session);
        }
        if (known.size() >= MOST_KEPT) {
            known.clear();
        }
        if (!several && kept != null && kept.isOfAnother(found)) {
            known.put(place, Known.SEVERAL);
            place = place.in(found.schemas());
        }
        known.put(place, found);
        return found;
    }

    /**
     * Discards a table that may have changed, so that it is looked up again. Runs no SQL, because the transaction may
     * be aborted.
     */
    public void forget(RowTable table) {
        known.values().removeIf(kept -> kept.table() == table);
    }

    /** Marks a table as stale, because the server has found that the known facts no longer hold. */
    public void stale(RowTable table) {
        known.replaceAll((place, kept) -> kept.table() == table ? kept.stale() : kept);
    }

    private static Known found(PgSession session, TablePlace place) throws SQLException {
        Known found = lookUp(session, place.table(), place.given(), 0);
        if (found.kind().isEmpty()) {
            session.askRow(NO_TABLE, place.table());
        }
        return found;
    }

    /**
     * Looks up a table at the server. The result has an empty kind if the table does not exist.
     *
     * @param seconds the timeout of the query; 0 for none
     */
    static Known lookUp(PgSession session, String table, List<String> given, int seconds) throws SQLException {
        List<Column> columns = new ArrayList<>();
        List<String> missing = new ArrayList<>(given);
        String kind = "";
        String schemas = "";
        long schema = 0;
        boolean immediate = false;
        boolean citus = false;
        boolean lookable = false;
        boolean countsRows = false;
        long oid = 0;
        try (PreparedStatement statement = session.prepare(given.isEmpty() ? FROM_CATALOG : FROM_NAMES)) {
            if (seconds > 0) {
                statement.setQueryTimeout(seconds);
            }
            int at = 1;
            if (!given.isEmpty()) {
                statement.setArray(at++, session.connection().createArrayOf("text", given.toArray()));
            }
            statement.setString(at, table);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    kind = row.getString(1);
                    schemas = row.getString(5);
                    schema = row.getLong(6);
                    citus = row.getBoolean(9);
                    lookable = row.getBoolean(10);
                    oid = row.getLong(11);
                    countsRows = row.getBoolean(12) && !citus;
                    immediate = row.getBoolean(13);
                    if (row.getString(2) != null) {
                        IdType idType = IdType.of(row.getString(3), row.getBoolean(8), row.getBoolean(7));
                        missing.remove(row.getString(2));
                        columns.add(new Column(row.getString(2), row.getString(3), row.getString(4), idType));
                    }
                }
            }
        }
        Identity identity = !given.isEmpty()
                ? Identity.GIVEN
                : columns.size() == 1 && immediate ? Identity.ONE_COLUMN : Identity.CATALOG;
        RowTable found = new RowTable(table, List.copyOf(columns), identity, lookable);
        return new Known(found, missing, kind, schemas, schema, oid, citus, countsRows, false);
    }
}
