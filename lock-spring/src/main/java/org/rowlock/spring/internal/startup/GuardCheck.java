package org.rowlock.spring.internal.startup;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.guard.GuardState;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.RowLockDefinitionException;

/** Looks at startup whether tables of strategy ADVISORY are guarded against writers that do not lock. */
final class GuardCheck {
    private static final Log LOG = LogFactory.getLog(GuardCheck.class);

    private final RowLocks locks;
    private final Reaction reaction;

    GuardCheck(RowLocks locks, Reaction reaction) {
        this.locks = locks;
        this.reaction = reaction;
    }

    /** Checks tables that are there. */
    void check(Connection connection, Collection<String> tables) throws SQLException {
        Map<String, GuardState> unguarded = new TreeMap<>();
        for (String table : reaction == Reaction.IGNORE ? List.<String>of() : tables) {
            if (locks.strategyOf(LockKey.row(table, 0)) == LockStrategy.ADVISORY) {
                GuardState state = state(connection, table);
                if (state != GuardState.CURRENT) {
                    unguarded.put(table, state);
                }
            }
        }
        if (unguarded.isEmpty()) {
            return;
        }
        String words = unguarded.entrySet().stream()
                .map(each -> each.getKey() + " (" + inWords(each.getValue()) + ")")
                .collect(Collectors.joining(", "));
        String sql = unguarded.keySet().stream().map(this::install).collect(Collectors.joining(" "));
        String problem =
                "Strategy ADVISORY is not guarded against writers that do not lock through Rowlock, which can make"
                        + " others lose updates: " + words + ".";
        String action =
                "Install the guard in a migration: what java -jar lock-guard.jar prints, unless the schema rowlock"
                        + " is up to date, then " + sql
                        + " Where every writer is known to lock, set rowlock.missing-guard=ignore.";
        if (reaction == Reaction.FAIL) {
            throw new RowLockDefinitionException(problem, action);
        }
        LOG.warn(problem + " " + action);
    }

    private String install(String table) {
        Collection<String> columns = locks.configuredIdColumns(table);
        String given = columns.isEmpty() ? "" : ", id_columns => array[" + joined(columns) + "]";
        return "select rowlock.install_guard(" + joined(List.of(table)) + given + ");";
    }

    private static String joined(Collection<String> texts) {
        return texts.stream().map(text -> "'" + text.replace("'", "''") + "'").collect(Collectors.joining(", "));
    }

    /** A guard that cannot be looked up is missing, if the caller requires it. */
    private GuardState state(Connection connection, String table) throws SQLException {
        try {
            return RowLockGuard.stateOf(connection, table);
        } catch (SQLException e) {
            if (reaction == Reaction.FAIL) {
                throw e;
            }
            LOG.warn("Whether " + table + " is guarded cannot be looked up: " + e.getMessage());
            return GuardState.CURRENT;
        }
    }

    private static String inWords(GuardState state) {
        return switch (state) {
            case MISSING -> "no guard";
            case DISABLED -> "its guard is switched off by DISABLE TRIGGER";
            case OUTDATED -> "its guard is of another version or primary key";
            case CURRENT -> "guarded";
        };
    }
}
