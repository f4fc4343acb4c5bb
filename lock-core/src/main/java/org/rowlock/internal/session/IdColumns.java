package org.rowlock.internal.session;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.text.CatalogSql;

/**
 * The id columns of tables: the primary key from the catalog, or the configured columns. The columns are looked up on
 * first use, and cached under a {@link Place}. A table can be replaced or changed at any time. Every row lock therefore
 * checks, without a further round trip, that the types of the columns have not changed. If the columns are not
 * configured, the row lock also checks that they are still the primary key ({@link RowSql#identity}, {@link
 * RowSql#verify}).
 */
// A stale table is compared by reference, because an equal object may come from a newer look-up, and must stay in the
// cache.
@SuppressWarnings("ReferenceEquality")
public final class IdColumns {
    /** The largest number of entries. When the limit is reached, all entries are discarded. */
    private static final int MOST_KEPT = 10_000;

    private final ConcurrentMap<Place, Known> known = new ConcurrentHashMap<>();

    /**
     * The locks for first look-ups. A look-up is expensive for a new session. If several callers need the same table at
     * startup, one caller looks up the table, and the others wait.
     */
    private final ConcurrentMap<Place, ReentrantLock> firstLooks = new ConcurrentHashMap<>();

    private final Set<String> urlsOfCitus = ConcurrentHashMap.newKeySet();

    /**
     * The cache key of a table: its name, and the properties of the session that determine which table has this name.
     * The key contains only properties that the driver knows without a round trip. The search_path is known from
     * PostgreSQL 18 on.
     *
     * @param given the configured id columns; empty for the primary key
     */
    public record Place(
            String database, String user, @Nullable String searchPath, String table, List<String> given) {
        /**
         * Returns the cache key with the schemas that the server searches, instead of the search_path. The prefix makes
         * the key different from every key with a search_path.
         */
        public Place in(String schemas) {
            return new Place(database, user, "in " + schemas, table, given);
        }

        /**
         * Replaces the generated hashCode(). The first call of a record's generated method takes time at startup, and
         * JDK 17 keeps the record's class loader afterwards.
         */
        @Override
        public int hashCode() {
            return table.hashCode();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Place that
                    && table.equals(that.table)
                    && database.equals(that.database)
                    && user.equals(that.user)
                    && Objects.equals(searchPath, that.searchPath)
                    && given.equals(that.given);
        }
    }

    /**
     * The cached result of a look-up.
     *
     * @param table the table with its id columns; without columns if the table has no primary key
     * @param names the names of the id columns
     * @param schemas the schemas in which the server searches tables
     * @param schema the oid of the schema of the table
     * @param oid the oid of the table; 0 if there is no table
     * @param isCitus whether the table may be on other machines
     * @param countsRows whether a write to one row of the table always reports one row
     * @param isStale whether the server has later reported that this result is wrong
     */
    public record Known(
            RowTable table,
            List<String> names,
            List<String> missing,
            String kind,
            String schemas,
            long schema,
            long oid,
            boolean isCitus,
            boolean countsRows,
            boolean isStale) {
        /**
         * The entry for a name that means different tables in different sessions. The most common example is a schema
         * for each tenant, if the server does not report the search_path. Other examples are a temporary table, and a
         * schema with the name of the current role. For such a name, each look-up first queries the schemas of the
         * session.
         */
        private static final Known SEVERAL =
                new Known(RowTable.named(""), List.of(), List.of(), "", "", 0, 0, false, false, false);

        /**
         * Whether the name means several tables, rather than one table that has changed. This is true if the newly
         * found table is in another schema, or if the new result equals the stale result. In the second case, a session
         * that sees another table of this name has reported the result as stale.
         */
        private boolean isOfAnother(Known found) {
            return schema != found.schema || table.equals(found.table);
        }

        /** Whether all configured columns exist; without configured columns, whether the table has a primary key. */
        public boolean isWhole() {
            return missing.isEmpty() && !table.columns().isEmpty();
        }

        private Known stale() {
            return new Known(table, names, missing, kind, schemas, schema, oid, isCitus, countsRows, true);
        }
    }

    /** Whether an earlier look-up has found Citus, so that tables may be on other machines. */
    public boolean isOnCitus(PgSession session) throws SQLException {
        return !urlsOfCitus.isEmpty() && urlsOfCitus.contains(session.url());
    }

    public void foundCitus(PgSession session) throws SQLException {
        urlsOfCitus.add(session.url());
    }

    /**
     * Returns the id columns of a table.
     *
     * @param given the configured columns; empty for the primary key
     */
    public Known of(PgSession session, String table, List<String> given) throws SQLException {
        Place place = new Place(session.url(), session.user(), session.reported("search_path"), table, given);
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
     * Waits for another caller that looks up the same table for the first time. The wait is limited to a second,
     * because the server of the other caller may not answer. Returns whether the lock was acquired.
     */
    private static boolean isFirst(ReentrantLock look) {
        try {
            return look.tryLock(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Known known(PgSession session, Place given) throws SQLException {
        Place place = given;
        Known kept = known.get(place);
        boolean several = kept == Known.SEVERAL;
        if (several) {
            place = place.in(session.outsideTransaction(() -> session.ask("select " + CatalogSql.SCHEMAS)));
            kept = known.get(place);
        }
        if (kept != null && !kept.isStale()) {
            return kept;
        }
        Known found = session.outsideTransaction(() -> TableLookUp.existing(session, given));
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

    /** Removes a table, because it may have changed. Runs no SQL, because the transaction may be aborted. */
    public void forget(RowTable table) {
        known.values().removeIf(kept -> kept.table() == table);
    }

    /** Marks a table as stale, because the server has reported that the cached result is wrong. */
    public void stale(RowTable table) {
        known.replaceAll((place, kept) -> kept.table() == table ? kept.stale() : kept);
    }
}
