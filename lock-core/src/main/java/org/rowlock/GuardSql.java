package org.rowlock;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.AdvisoryKeys.Shape;

/**
 * The guard that a lock statement carries: it locks only in a transaction where the lock means something, and tells
 * what it saw. In the wrong kind of transaction it neither waits nor locks.
 */
final class GuardSql {
    static final String ISOLATION = "current_setting('transaction_isolation')";
    static final String READ_ONLY = "current_setting('transaction_read_only')";

    /**
     * What a guard puts into its text or error, for {@link #findIn} to find in any language of the server. Random, as the
     * server's messages also quote ids and binds, which may come from anywhere.
     */
    private static final String MARK = "rowlock:" + new BigInteger(96, new SecureRandom()).toString(36) + ':';

    private static final String TAKEN = "taken";
    private static final String STALE = "stale";
    private static final Set<String> LEVELS =
            Set.of("read uncommitted", "read committed", "repeatable read", "serializable");

    private GuardSql() {}

    /**
     * An expression of type text: what {@code then} gives where the guard agrees, and else what the guard saw.
     *
     * @param anyIsolation whether REPEATABLE READ and SERIALIZABLE pass
     * @param shape the form of the keys, for the condition on the table
     * @param more a further condition, with AND in front, or empty
     * @param raising whether a refusal raises an error (invalid text for an integer), so that the statements behind it
     *     in the same round trip do not run without the lock. It depends on settings, which keeps the planner from
     *     evaluating it early
     */
    static String guarded(boolean anyIsolation, Shape shape, String more, String then, boolean raising) {
        String refusal = "'" + MARK + "' || " + ISOLATION + " || '/' || " + READ_ONLY + " || '/' || "
                + KeySql.whatIsWrong(shape) + " || ':'";
        return "case when " + READ_ONLY + " = 'off'"
                + (anyIsolation ? "" : " and " + ISOLATION + " in ('read committed', 'read uncommitted')")
                + KeySql.tableCondition(shape) + more + " then " + then + " else "
                + (raising ? "cast(" + refusal + " as int4)::text" : refusal) + " end";
    }

    static String raiseTaken() {
        return raise(TAKEN);
    }

    /** Raised where the id columns of a table are not what they were when looked up. */
    static String raiseStale() {
        return raise(STALE);
    }

    private static String raise(String what) {
        return "cast('" + MARK + what + ":' || " + READ_ONLY + " as int4)::text";
    }

    /** What a guard saw, from its text or an error's message, or null where the text is another. */
    static @Nullable Guard findIn(@Nullable String message) {
        int mark = message == null ? -1 : message.indexOf(MARK);
        if (message == null || mark < 0) {
            return null;
        }
        String text = message.substring(mark + MARK.length());
        if (text.startsWith(TAKEN)) {
            return Guard.TAKEN;
        }
        if (text.startsWith(STALE)) {
            return Guard.STALE;
        }
        String[] columns = text.substring(0, Math.max(0, text.lastIndexOf(':'))).split("/", 3);
        return columns.length == 3 && LEVELS.contains(columns[0])
                ? new Guard(columns[0], columns[1], columns[2], Guard.Lock.NOT_TRIED)
                : null;
    }
}
