package org.rowlock.spring;

import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.spring.RowLockUsages.Usage;

/** What Rowlock does in an application, in one line. */
final class StartupSummary {
    private StartupSummary() {}

    static String of(SpringLocks spring, List<Usage> usages) {
        RowLocks locks = spring.locks();
        RowLockSettings settings = spring.settings();
        TreeMap<String, String> strategies = new TreeMap<>();
        locks.configuredTables().forEach(table -> strategies.put(table, ""));
        usages.forEach(usage -> strategies.put(usage.table(), ""));
        strategies.replaceAll(
                (table, none) -> locks.strategyOf(LockKey.row(table, 0)).name());
        long methods = usages.stream()
                .map(usage -> usage.bean() + " " + usage.method())
                .distinct()
                .count();
        return "Rowlock " + (settings.verify() ? "verified" : "not verified (rowlock.verify=false)") + ": " + methods
                + (methods == 1 ? " method" : " methods") + " with @RowLock, tables "
                + (strategies.isEmpty()
                        ? "none yet"
                        : strategies.entrySet().stream()
                                .map(table -> table.getKey() + " (" + table.getValue() + ")")
                                .collect(Collectors.joining(", ")))
                + ", admission " + (settings.admission() ? "on" : "off");
    }
}
