package org.rowlock.jdbc.internal.queue;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.text.TablePlace;
import org.rowlock.jdbc.internal.session.DriverAccess;
import org.rowlock.jdbc.internal.session.PrimaryKeys;
import org.rowlock.jdbc.internal.settings.JdbcSettings;
import org.rowlock.jdbc.internal.statement.Binds;
import org.rowlock.jdbc.internal.statement.PassReason;
import org.rowlock.jdbc.internal.statement.RowKey;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;
import org.rowlock.jdbc.internal.statement.StatementShape.Waiting;

/**
 * Finds the rows that the statements of one connection lock, by the primary keys of their tables. A key that is not
 * known yet is looked up when the connection is idle, and until then the statement passes.
 */
final class RowFinder {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private final DriverAccess access;
    private final PrimaryKeys primaryKeys;
    private final String user;
    private final Set<TablePlace> unknownTables = ConcurrentHashMap.newKeySet();

    RowFinder(DriverAccess access, PrimaryKeys primaryKeys) throws SQLException {
        this.access = access;
        this.primaryKeys = primaryKeys;
        this.user = String.valueOf(access.driver().getMetaData().getUserName());
    }

    /** The row for which a statement may wait; null where it does not wait in the JVM. */
    @Nullable
    LockedRow find(StatementPlan plan, Recognised statement, Binds binds, JdbcSettings settings) {
        PrimaryKeys.Found found = primaryKey(statement);
        RowKey key = found == null ? null : plan.key(statement, found);
        PassReason reason = reason(statement, found, key, binds, settings);
        if (reason != null) {
            plan.figures().passed(reason);
        }
        return reason != null || found == null || key == null ? null : new LockedRow(statement, found, key, binds);
    }

    private PrimaryKeys.@Nullable Found primaryKey(Recognised statement) {
        // Of one DataSource, and so of one database.
        TablePlace table = new TablePlace(
                "", user, access.driver().getParameterStatus("search_path"), statement.table(), List.of());
        PrimaryKeys.Found found = primaryKeys.find(table);
        if (found == null || found.isOver()) {
            unknownTables.add(table);
        }
        return found;
    }

    private static @Nullable PassReason reason(
            Recognised statement,
            PrimaryKeys.@Nullable Found found,
            @Nullable RowKey key,
            Binds binds,
            JdbcSettings settings) {
        if (!settings.covers(statement.table())) {
            return PassReason.EXCLUDED;
        }
        if (statement.waiting() != Waiting.WAIT) {
            return PassReason.NO_WAIT;
        }
        if (statement.mode() == RowLockMode.FOR_SHARE || statement.mode() == RowLockMode.FOR_KEY_SHARE) {
            return PassReason.SHARED;
        }
        if (found == null) {
            return PassReason.TABLE_UNKNOWN;
        }
        if (found.columns().isEmpty()) {
            return PassReason.NO_PRIMARY_KEY;
        }
        if (key == null) {
            return PassReason.NO_KEY;
        }
        return binds.has(key) ? null : PassReason.KEY_VALUE;
    }

    /** Looks up what is not known, where no transaction of the application is disturbed. */
    void lookUpIfIdle() {
        if (access.isClosed() || unknownTables.isEmpty() || !access.isIdle()) {
            return;
        }
        try {
            access.ask(asked -> {
                for (TablePlace name : unknownTables) {
                    if (primaryKeys.claim(name)) {
                        primaryKeys.lookUp(asked, name);
                    }
                }
                return unknownTables;
            });
        } catch (SQLException e) {
            // Tried again later; the application has its own answer from the server.
            LOG.log(Level.DEBUG, "The primary keys of " + unknownTables + " could not be looked up", e);
        }
        unknownTables.clear();
    }
}
