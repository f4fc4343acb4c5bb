package org.rowlock.spring.boot;

import java.util.List;
import java.util.function.Supplier;
import org.rowlock.LockListener;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder;
import org.rowlock.spring.RowLockDefinitionException;

/** Makes row locks of the properties. */
final class RowLocksFactory {
    private RowLocksFactory() {}

    static RowLocks create(RowLockProperties properties, int maxWaitersPerKey, List<LockListener> listeners) {
        RowLocksBuilder builder = RowLocks.builder()
                .strategy(properties.strategy())
                .singleEntryNode(properties.singleEntryNode())
                .idsInMessages(properties.idsInMessages())
                .release(properties.release())
                .front(properties.front());
        set("rowlock.lock-budget", () -> builder.lockBudget(properties.lockBudget()));
        set("rowlock.admission.max-waiters-per-key", () -> builder.maxWaitersPerKey(maxWaitersPerKey));
        Integer maxAdmittedPerKey = properties.admission().maxAdmittedPerKey();
        if (maxAdmittedPerKey != null) {
            set("rowlock.admission.max-admitted-per-key", () -> builder.maxAdmittedPerKey(maxAdmittedPerKey));
        }
        set("rowlock.largest-group", () -> builder.largestGroup(properties.largestGroup()));
        properties.tables().forEach((name, table) -> set(builder, name, table));
        listeners.forEach(builder::listener);
        return builder.build();
    }

    private static void set(RowLocksBuilder builder, String name, RowLockProperties.Table table) {
        String property = "rowlock.tables[" + name + "]";
        LockStrategy strategy = table.strategy();
        if (strategy != null) {
            set(property + ".strategy", () -> builder.strategy(name, strategy));
        }
        if (!table.idColumns().isEmpty()) {
            String[] columns = table.idColumns().toArray(String[]::new);
            set(property + ".id-columns", () -> builder.idColumns(name, columns));
        }
    }

    /** Takes over the value of a property; refuses it, by name, if it cannot be. */
    static <T> T set(String property, Supplier<T> setting) {
        try {
            return setting.get();
        } catch (IllegalArgumentException e) {
            throw new RowLockDefinitionException(
                    "The property " + property + " cannot be used: " + e.getMessage() + ".",
                    "Change it in the application's configuration.");
        }
    }
}
