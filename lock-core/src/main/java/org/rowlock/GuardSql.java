package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The guard that a lock statement carries: it locks only in a transaction where the lock means something, and tells
 * what it saw. In the wrong kind of transaction it neither waits nor locks.
 */
final class GuardSql {
    static final String ISOLATION = "current_setting('transaction_isolation')";
    static final String READ_ONLY = "current_setting('transaction_read_only')";

    /** What a refused or failed guard puts into its error, for {@link #findIn} to find in any language of the server. */
    private static final String MARK = "rowlock:";

    private static final String TAKEN = "taken";

    private GuardSql() {}

    /** The condition; {@code table} is the condition on the table, or empty. */
    static String condition(boolean anyIsolation, String table) {
        return READ_ONLY + " = 'off'"
                + (anyIsolation ? "" : " and " + ISOLATION + " in ('read committed', 'read uncommitted')")
                + (table.isEmpty() ? "" : " and " + table);
    }

    /**
     * An expression that raises an error with the guard's columns in it (invalid text for an integer), so that the
     * statements behind it in the same round trip do not run without the lock. It depends on settings, which keeps the
     * planner from evaluating it early.
     */
    static String raiseRefused(String kind) {
        return "cast('" + MARK + "' || " + ISOLATION + " || '/' || " + READ_ONLY + " || '/' || coalesce(" + kind
                + "::text, '') || ':' as int4)::text";
    }

    static String raiseTaken() {
        return "cast('" + MARK + TAKEN + ':' + "' || " + READ_ONLY + " as int4)::text";
    }

    /** The guard's columns in an error's message, or null where the error is another. */
    static @Nullable Guard findIn(@Nullable String message) {
        int mark = message == null ? -1 : message.indexOf(MARK);
        if (message == null || mark < 0) {
            return null;
        }
        String text = message.substring(mark + MARK.length());
        if (text.startsWith(TAKEN)) {
            return Guard.TAKEN;
        }
        String[] columns = text.substring(0, Math.max(0, text.lastIndexOf(':'))).split("/", 3);
        return columns.length == 3 ? new Guard(columns[0], columns[1], columns[2], Guard.Lock.NOT_TRIED) : null;
    }
}
