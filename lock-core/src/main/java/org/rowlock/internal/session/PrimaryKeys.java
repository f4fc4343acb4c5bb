package org.rowlock.internal.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cached primary keys of tables for the drop-in. No statement waits for a look-up, because Rowlock looks up keys
 * after a statement or transaction. A cached answer may be out of date. Before PostgreSQL 18 an answer may also belong
 * to another schema, because the server does not report the search_path. A wrong key makes statements slower. A write
 * that {@code CommitFlush} keeps may then change several rows; the drop-in reports this after the COMMIT. Thread-safe.
 */
public final class PrimaryKeys {
    private static final long GOOD_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long BAD_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long LOOKING_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int LOOK_UP_SECONDS = 5;

    /** The largest number of cached tables. Beyond this number, tables are not looked up. */
    private static final int MOST = 10_000;

    /** A query that returns which of the given names belong to no table. A name may include a schema. */
    private static final String ABSENT = "select t.name from (select n.name, pg_catalog.parse_ident(n.name) as part,"
            + " pg_catalog.cardinality(pg_catalog.parse_ident(n.name)) as parts from"
            + " pg_catalog.unnest(cast(? as pg_catalog.text[])) as n(name)) as t where not exists (select from"
            + " pg_catalog.pg_class as c join pg_catalog.pg_namespace as s on s.oid = c.relnamespace where"
            + " c.relname = t.part[t.parts] and (t.parts = 1 or s.nspname = t.part[t.parts - 1])) order by t.name";

    private final ConcurrentHashMap<IdColumns.Place, Found> known = new ConcurrentHashMap<>();

    /** The configured tables whose existence has not been checked yet. */
    private final AtomicReference<List<String>> expected = new AtomicReference<>(List.of());

    /**
     * The answer of the catalog.
     *
     * @param key the table with its key; null while the table is looked up for the first time
     */
    public record Found(IdColumns.@Nullable Known key, long until) {
        public IdColumns.Known known() {
            return Objects.requireNonNull(key);
        }

        public boolean isOver() {
            return System.nanoTime() - until > 0;
        }
    }

    /** Returns the cached answer, which may be old; null if there is none. */
    @Nullable
    public Found find(IdColumns.Place name) {
        Found found = known.get(name);
        return found == null || found.key() == null ? null : found;
    }

    public void forget() {
        known.clear();
    }

    /** Sets the tables that the application has configured, so that misspelled names are noticed. */
    public void expect(List<String> include, List<String> exclude) {
        expected.set(Stream.concat(include.stream(), exclude.stream()).toList());
    }

    public boolean isExpecting() {
        return !expected.get().isEmpty();
    }

    /** Returns the expected tables that do not exist. Each table is checked once. */
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

    /** Reserves the look-up of a table. Returns false if the look-up is unnecessary or already in progress. */
    private boolean claim(IdColumns.Place name) {
        long next = System.nanoTime() + LOOKING_NANOS;
        Found found = known.get(name);
        if (found == null) {
            return known.size() < MOST && known.putIfAbsent(name, new Found(null, next)) == null;
        }
        // Other statements use the old answer until the new look-up has finished.
        return found.isOver() && known.replace(name, found, new Found(found.key(), next));
    }

    /**
     * Queries the catalog if the cached answer is missing or old, and no other thread is looking up the table. The
     * connection must be in autocommit.
     */
    public void lookUp(Connection connection, IdColumns.Place name) throws SQLException {
        if (!claim(name)) {
            return;
        }
        IdColumns.Known seen = seen(PgSession.of(connection), name);
        long until = System.nanoTime() + (seen.names().isEmpty() ? BAD_NANOS : GOOD_NANOS);
        known.put(name, new Found(seen, until));
    }

    /** Looks up a table with the search_path of {@code name}, even if the session now has another search_path. */
    private static IdColumns.Known seen(PgSession session, IdColumns.Place name) throws SQLException {
        String path = name.searchPath();
        if (path == null || path.equals(session.reported("search_path"))) {
            return TableLookUp.of(session, name, LOOK_UP_SECONDS);
        }
        session.execute("begin");
        try {
            String unused = session.ask("select pg_catalog.set_config('search_path', ?, true)", path);
            return TableLookUp.of(session, name, LOOK_UP_SECONDS);
        } finally {
            session.execute("rollback");
        }
    }
}
