package org.rowlock.internal.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.TablePlace;

/**
 * The primary keys of tables for the drop-in, whose statements never wait for the catalog. An answer may be out of
 * date, or of another schema where the server does not report its search_path (before PostgreSQL 18): a wrong key costs
 * speed only. Thread-safe.
 */
public final class PrimaryKeys {
    private static final long GOOD_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long BAD_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long LOOKING_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int LOOK_UP_SECONDS = 5;

    /** More tables than any schema has; beyond them none is looked up. */
    private static final int MOST = 10_000;

    /** Which of some names, each perhaps with a schema, no table has. */
    private static final String ABSENT = "select t.name from (select n.name, pg_catalog.parse_ident(n.name) as part,"
            + " pg_catalog.cardinality(pg_catalog.parse_ident(n.name)) as parts from"
            + " pg_catalog.unnest(cast(? as pg_catalog.text[])) as n(name)) as t where not exists (select from"
            + " pg_catalog.pg_class as c join pg_catalog.pg_namespace as s on s.oid = c.relnamespace where"
            + " c.relname = t.part[t.parts] and (t.parts = 1 or s.nspname = t.part[t.parts - 1]))";

    private final ConcurrentHashMap<TablePlace, Found> known = new ConcurrentHashMap<>();

    /** The tables of the settings, until they are looked for. */
    private final AtomicReference<List<String>> expected = new AtomicReference<>(List.of());

    /**
     * What the catalog said.
     *
     * @param columns of the primary key, in its order; none where there is no such table or key
     * @param types of these columns
     * @param isCitus whether a statement on it may run elsewhere than a lock in front
     * @param countsRows whether a write of one of its rows counts one
     * @param table its oid, which distinguishes tables of one name and is the same by whatever name; 0 for none
     */
    public record Found(
            List<String> columns,
            List<IdType> types,
            long table,
            boolean isCitus,
            boolean countsRows,
            boolean isKnown,
            long until) {
        public boolean isOver() {
            return System.nanoTime() - until > 0;
        }
    }

    /** What is known, be it old, or null. */
    @Nullable
    public Found find(TablePlace name) {
        Found found = known.get(name);
        return found == null || !found.isKnown() ? null : found;
    }

    /** Has all looked up again, as something was not as known. */
    public void forget() {
        known.clear();
    }

    /** Has these tables looked for, as one that is misspelt is never met. */
    public void expect(List<String> tables) {
        expected.set(tables);
    }

    /** Whether tables are still to be looked for. */
    public boolean isExpecting() {
        return !expected.get().isEmpty();
    }

    /** The tables that are expected and not there; once. */
    public List<String> absent(Connection connection) throws SQLException {
        List<String> names = expected.getAndSet(List.of());
        List<String> absent = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(ABSENT)) {
            statement.setQueryTimeout(LOOK_UP_SECONDS);
            statement.setArray(1, connection.createArrayOf("text", names.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    absent.add(rows.getString(1));
                }
            }
        }
        return absent;
    }

    /** Whether the caller is to look this up, as it is unknown or old and nobody else does. */
    private boolean claim(TablePlace name) {
        long next = System.nanoTime() + LOOKING_NANOS;
        Found found = known.get(name);
        if (found == null) {
            Found looking = new Found(List.of(), List.of(), 0, false, false, false, next);
            return known.size() < MOST && known.putIfAbsent(name, looking) == null;
        }
        // Until the new one is there the old one serves.
        Found old = new Found(
                found.columns(),
                found.types(),
                found.table(),
                found.isCitus(),
                found.countsRows(),
                found.isKnown(),
                next);
        return found.isOver() && known.replace(name, found, old);
    }

    /** Asks the catalog, on a connection that is in autocommit, if this is unknown or old and nobody else asks. */
    public void lookUp(Connection connection, TablePlace name) throws SQLException {
        if (!claim(name)) {
            return;
        }
        IdColumns.Known seen = IdColumns.lookUp(PgSession.of(connection), name.table(), List.of(), LOOK_UP_SECONDS);
        List<String> columns = seen.table().columns().stream().map(Column::name).toList();
        List<IdType> types = seen.table().columns().stream().map(Column::kind).toList();
        long valid = columns.isEmpty() ? BAD_NANOS : GOOD_NANOS;
        long until = System.nanoTime() + valid;
        known.put(name, new Found(columns, types, seen.oid(), seen.isCitus(), seen.countsRows(), true, until));
    }
}
