package org.rowlock.jdbc.internal.row;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.session.DriverAccess;
import org.rowlock.internal.session.IdColumns;
import org.rowlock.internal.session.PrimaryKeys;
import org.rowlock.internal.text.Log;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.settings.JdbcSettings;
import org.rowlock.jdbc.internal.statement.Binds;
import org.rowlock.jdbc.internal.statement.StatementShape;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/**
 * Finds the row that a statement of one connection locks, by the primary key of the table. Rowlock looks up an unknown
 * primary key when the connection is idle. Until then, statements on that table do not queue.
 */
public final class RowFinder {
    private final DriverAccess access;
    private final PrimaryKeys primaryKeys;
    private final String database;
    private final String user;
    private final Set<IdColumns.Place> unknownTables = ConcurrentHashMap.newKeySet();

    public RowFinder(DriverAccess access, PrimaryKeys primaryKeys) throws SQLException {
        this.access = access;
        this.primaryKeys = primaryKeys;
        // A DataSource may route to several databases, whose tables with the same name may differ.
        this.database = access.session().url();
        this.user = access.session().user();
    }

    /** Returns the row for which a recognised statement may wait in the JVM; null if the statement does not wait. */
    public @Nullable LockedRow find(StatementPlan plan, Binds binds, JdbcSettings settings) {
        StatementShape shape = plan.shape();
        boolean covered = settings.covers(shape.table());
        boolean waits = shape.mode() == RowLockMode.FOR_UPDATE || shape.mode() == RowLockMode.FOR_NO_KEY_UPDATE;
        PrimaryKeys.Found found = covered && waits ? primaryKey(shape.table()) : null;
        List<Value> key = found == null ? null : shape.key(found.known().names());
        if (found != null && key != null && binds.has(key)) {
            return new LockedRow(plan, found.known(), key, binds);
        }
        plan.figures()
                .count(
                        !covered
                                ? Figure.EXCLUDED
                                : !waits ? Figure.OTHER_FORM : found == null ? Figure.TABLE_UNKNOWN : Figure.NO_KEY);
        return null;
    }

    /**
     * Whether a statement locks or writes one row of a table whose writes always report how many rows they have
     * changed. The result is false if the primary key is unknown, or if the table is excluded.
     */
    public boolean areCounted(StatementPlan plan, JdbcSettings settings) {
        StatementShape shape = plan.shape();
        PrimaryKeys.Found found = settings.covers(shape.table()) ? primaryKey(shape.table()) : null;
        return found != null
                && found.known().countsRows()
                && (!shape.isRecognised() || shape.key(found.known().names()) != null);
    }

    private PrimaryKeys.@Nullable Found primaryKey(String name) {
        IdColumns.Place table =
                new IdColumns.Place(database, user, access.session().reported("search_path"), name, List.of());
        PrimaryKeys.Found found = primaryKeys.find(table);
        if (found == null || found.isOver()) {
            unknownTables.add(table);
        }
        return found;
    }

    private static void warnOf(List<String> absent) {
        if (!absent.isEmpty()) {
            Log.warn(
                    "rowlock.include or rowlock.exclude names " + absent
                            + ", but the database has no such table, so the name has no effect. Correct the name.",
                    null);
        }
    }

    /** Looks up the unknown primary keys, unless a transaction of the application is open. */
    public void lookUpIfIdle() {
        if (access.isClosed() || (unknownTables.isEmpty() && !primaryKeys.isExpecting()) || !access.isIdle()) {
            return;
        }
        try {
            access.query(driver -> {
                // Another thread may have begun a transaction on this connection in the meantime.
                if (!access.isIdle()) {
                    return unknownTables;
                }
                if (primaryKeys.isExpecting()) {
                    warnOf(primaryKeys.absent(driver));
                }
                for (IdColumns.Place name : unknownTables) {
                    primaryKeys.lookUp(driver, name);
                }
                return unknownTables;
            });
        } catch (SQLException e) {
            // The application's own statement has already succeeded or failed, so this error is not thrown. Rowlock
            // looks up the keys again later.
            Log.debug("The primary keys of " + unknownTables + " could not be looked up", e);
        }
        unknownTables.clear();
    }
}
