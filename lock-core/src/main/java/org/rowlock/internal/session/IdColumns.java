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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.TablePlace;

/**
 * The id columns of tables whose rows are locked: the primary key from the catalog, or the columns given. Looked up on
 * first use and kept by database, user and name. What a name means can change at any time, so every row lock checks in
 * its own round trip that they still are the primary key of what it means, and of the same types
 * ({@link RowSql#identity}, {@link RowSql#verify}).
 */
public final class IdColumns {
    /** The type behind a domain: a column's values, and so its keys, are of that type. */
    private static final String BASE_TYPE = "(with recursive b(oid, base) as ("
            + "select t.oid, t.typbasetype from pg_catalog.pg_type t where t.oid = a.atttypid"
            + " union all select t.oid, t.typbasetype from b join pg_catalog.pg_type t on t.oid = b.base)"
            + " select b.oid from b where b.base = 0)";

    /** What an array of arrays is of: the same type, but for vectors, where that depends on the server's version. */
    private static final String ARRAY_OF = "case when t.typcategory = 'A' and t.typtype <> 'd' and (t.typarray = 0 or"
            + " pg_catalog.pg_typeof(array[cast(null as pg_catalog.oidvector)])"
            + " = cast('pg_catalog.oidvector' as pg_catalog.regtype)) then '' else '[]' end";

    /** One row at least, for the kind of the table. The types with their schemas. */
    private static final String COLUMNS = "select c.relkind, a.attname, " + typeName("''", BASE_TYPE) + ", "
            + typeName(ARRAY_OF, "a.atttypid")
            + ", " + PgSession.SCHEMAS
            + ", c.relnamespace, (select l.collisdeterministic from pg_catalog.pg_collation l"
            + " where l.oid = a.attcollation) is not false, (select o.prosrc from pg_catalog.pg_type t"
            + " join pg_catalog.pg_proc o on o.oid = t.typoutput join pg_catalog.pg_language l on l.oid = o.prolang"
            + " where t.oid = a.atttypid and l.lanname = 'internal'), " + CatalogSql.IS_CITUS + ", ";

    private static final String FROM = " from pg_catalog.pg_class c left join (";

    private static final String OF_TABLE =
            " where c.oid = cast(cast(? as pg_catalog.text) as pg_catalog.regclass) order by k.n";
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

    /** Of tables in their schemas. Beyond this many, keeping all would be a leak. */
    private static final int MOST_KEPT = 10_000;

    private static final long FIRST_LOOK_MILLIS = 1_000;

    /** Where one table is meant, in whatever schemas it was found. */
    private static final String ONE_TABLE = "";

    private final ConcurrentMap<TablePlace, Tables> known = new ConcurrentHashMap<>();

    private final AtomicInteger entries = new AtomicInteger();

    /** Of databases with Citus. Where none is known this costs a look at an empty set. */
    private final Set<String> urlsOfCitus = ConcurrentHashMap.newKeySet();

    /**
     * What a name means at a place: one table, or several. Several to tenants with a schema each whose search_path the
     * server does not report, by SET ROLE with a schema of the role's name, with a temporary table in front. For these
     * the server is asked for its schemas first.
     */
    private static final class Tables {
        final ConcurrentMap<String, Known> bySchemas = new ConcurrentHashMap<>(1);
        volatile boolean several;

        /** A look-up is dear to a new session: callers that start together wait for that of one. */
        final ReentrantLock firstLook = new ReentrantLock();
    }

    /**
     * What is known of a table.
     *
     * @param table with its id columns; none if it has no primary key
     * @param given the columns given by configuration, or none for the primary key
     * @param kind of what the name means, as in pg_class
     * @param schemas in which it was looked for
     * @param schema in which it was found
     * @param stale whether the server has found since that it does not hold any more
     */
    public record Known(RowTable table, List<String> given, String kind, String schemas, long schema, boolean stale) {
        /** Whether it did not change, and was found not to hold where the name means another table. */
        private boolean isOfAnother(Known found) {
            return schema != found.schema || table.equals(found.table);
        }

        /** Whether it has id columns: all of those given, or a primary key. */
        public boolean isWhole() {
            return !table.columns().isEmpty()
                    && (given.isEmpty() || given.size() == table.columns().size());
        }
    }

    /** Whether tables may lie on other machines, as far as is known. */
    public boolean isOnCitus(PgSession session) throws SQLException {
        return !urlsOfCitus.isEmpty() && urlsOfCitus.contains(session.url());
    }

    /** By the way, as the look at a table shows it at no cost. */
    public void foundCitus(PgSession session) throws SQLException {
        urlsOfCitus.add(session.url());
    }

    /**
     * What is known of a table; asks the server for what is not.
     *
     * @param given the columns given by configuration, or none for the primary key
     */
    public Known of(PgSession session, String table, List<String> given) throws SQLException {
        Tables tables = tables(session, table, given);
        boolean first = tables.bySchemas.isEmpty() && isFirst(tables.firstLook);
        try {
            return known(session, table, given, tables);
        } finally {
            if (first) {
                tables.firstLook.unlock();
            }
        }
    }

    /** Has one caller look first. Bounded, as that one may have lost its server. */
    private static boolean isFirst(ReentrantLock look) {
        try {
            return look.tryLock(FIRST_LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Known known(PgSession session, String table, List<String> given, Tables tables) throws SQLException {
        String schemas = tables.several ? session.outsideTransaction(() -> session.ask(PgSession.SCHEMAS)) : ONE_TABLE;
        Known kept = tables.bySchemas.get(schemas);
        if (kept != null && !kept.stale()) {
            return kept;
        }
        Known found = session.outsideTransaction(() -> lookUp(session, table, given));
        if (kept != null && schemas.equals(ONE_TABLE) && kept.isOfAnother(found)) {
            tables.several = true;
            schemas = found.schemas();
        }
        if (tables.bySchemas.put(schemas, found) == null && entries.incrementAndGet() > MOST_KEPT) {
            // One by one would need an order; to look all up again is seldom.
            known.clear();
            entries.set(0);
        }
        return found;
    }

    private Tables tables(PgSession session, String table, List<String> given) throws SQLException {
        TablePlace place = new TablePlace(session.url(), session.user(), session.reported("search_path"), table, given);
        Tables tables = known.get(place);
        return tables != null ? tables : known.computeIfAbsent(place, of -> new Tables());
    }

    /** Has a table looked up again, as it may have changed. Runs no SQL: the transaction may be aborted. */
    public void forget(PgSession session, Known known) throws SQLException {
        tables(session, known.table().name(), known.given())
                .bySchemas
                .values()
                .removeIf(kept -> kept.table().equals(known.table()));
    }

    /** The same, since the server has found that what is kept does not hold. */
    public void stale(PgSession session, RowTable table, List<String> given) throws SQLException {
        tables(session, table.name(), given)
                .bySchemas
                .replaceAll((schemas, kept) -> kept.table().equals(table)
                        ? new Known(table, given, kept.kind(), kept.schemas(), kept.schema(), true)
                        : kept);
    }

    private Known lookUp(PgSession session, String table, List<String> given) throws SQLException {
        List<Column> columns = new ArrayList<>();
        String kind = "";
        String schemas = "";
        long schema = 0;
        boolean immediate = false;
        boolean citus = false;
        try (PreparedStatement statement = session.prepare(given.isEmpty() ? FROM_CATALOG : FROM_NAMES)) {
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
                    immediate = row.getBoolean(10);
                    if (row.getString(2) != null) {
                        IdType idType = IdType.of(row.getString(3), row.getString(8), row.getBoolean(7));
                        columns.add(new Column(row.getString(2), row.getString(3), row.getString(4), idType));
                    }
                }
            }
        }
        if (citus) {
            foundCitus(session);
        }
        Identity identity = !given.isEmpty()
                ? Identity.GIVEN
                : columns.size() == 1 && immediate ? Identity.ONE_COLUMN : Identity.CATALOG;
        return new Known(new RowTable(table, List.copyOf(columns), identity), given, kind, schemas, schema, false);
    }
}
