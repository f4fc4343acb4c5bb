package org.rowlock.internal.sql;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;

/**
 * The check that a lock statement carries: it locks only in a transaction where the lock means something, and reports
 * what it saw. In the wrong kind of transaction it neither waits nor locks.
 */
public final class LockCheckSql {
    static final String ISOLATION = "pg_catalog.current_setting('transaction_isolation')";
    static final String READ_ONLY = "pg_catalog.current_setting('transaction_read_only')";

    /** What the text of a check that refuses without an error begins with. */
    private static final String REFUSED = "rowlock:";

    /**
     * What the error of a check begins with, for {@link #findIn} to find in any language of the server. Random, as the
     * server's messages also quote ids and binds, which may come from anywhere; and a parameter, so that the SQL is the
     * same in every JVM and a pooler can share what it has prepared.
     */
    private static final String MARK = REFUSED + new BigInteger(96, new SecureRandom()).toString(36) + ':';

    /** In front of what is wrong with the table, where the isolation level would be refused first. */
    private static final String IF_READ_COMMITTED = "~";

    private static final String TAKEN = "taken";
    private static final String STALE = "stale";
    private static final String ABSENT = "absent";

    private LockCheckSql() {}

    /** A condition: the transaction is one where the lock means something. */
    static String agreed(boolean anyIsolation) {
        return READ_ONLY + " = 'off'"
                + (anyIsolation ? "" : " and " + ISOLATION + " in ('read committed', 'read uncommitted')");
    }

    /**
     * An expression of type text, for a transaction where the check does not agree: what it saw.
     *
     * @param raising whether it raises an error (invalid text for an integer), so that the statements behind it in the
     *     same round trip do not run without the lock. Then it has a parameter for {@link #bindMark}
     */
    static String refusal(boolean anyIsolation, String whatIsWrong, boolean raising) {
        String seen = ISOLATION + " || '/' || " + READ_ONLY + " || '/" + (anyIsolation ? "" : IF_READ_COMMITTED)
                + "' || " + whatIsWrong + " || ':'";
        return raising ? raise(seen) : "'" + REFUSED + "' || " + seen;
    }

    /** Raised where another transaction holds the lock. Has a parameter for {@link #bindMark}. */
    static String raiseTaken() {
        return raise("'" + TAKEN + "' || " + READ_ONLY);
    }

    /** Raised where the id columns of a table are not what they were when looked up. Has the same parameter. */
    static String raiseStale() {
        return raise("'" + STALE + "' || " + READ_ONLY);
    }

    /** Raised where a row lock has found fewer rows than it was to lock. Has the same parameter. */
    static String raiseAbsent() {
        return raise("'" + ABSENT + " row to lock; rolled back, read only: ' || " + READ_ONLY);
    }

    /** What it says depends on a setting, which keeps the planner from evaluating it early. */
    static String raise(String what) {
        return "cast(cast(? as pg_catalog.text) || " + what + " as integer)::pg_catalog.text";
    }

    /** Sets the parameter of one raised error. */
    static int bindMark(PreparedStatement statement, int at, ResolvedRequest request) throws SQLException {
        statement.setString(at, MARK);
        return at + 1;
    }

    /**
     * Reads a row of a lock statement: what became of the lock, and the isolation level. Null where the statement has
     * called no lock function, though nothing was refused.
     */
    public static @Nullable LockCheck read(ResultSet row) throws SQLException {
        String locked = row.getString(1);
        if (locked == null) {
            return null;
        }
        LockCheck refused = locked.startsWith(REFUSED) ? refusal(locked.substring(REFUSED.length())) : null;
        if (refused != null) {
            return refused;
        }
        // A blocking lock function returns void, an empty text; a trying one true or false.
        return "false".equals(locked) ? LockCheck.TAKEN : LockCheck.held(row.getString(2));
    }

    /** What a check saw that raised an error, from its message, or null where the error is another. */
    public static @Nullable LockCheck findIn(@Nullable String message) {
        String text = marked(message);
        if (text == null) {
            return null;
        }
        if (text.startsWith(TAKEN)) {
            return LockCheck.TAKEN;
        }
        if (text.startsWith(ABSENT)) {
            return LockCheck.ABSENT;
        }
        return text.startsWith(STALE) ? LockCheck.STALE : refusal(text);
    }

    /** The value of the parameter of one raised error. */
    public static String mark() {
        return MARK;
    }

    /** What an error of ours says, behind the mark; null where the error is another. */
    static @Nullable String marked(@Nullable String message) {
        int mark = message == null ? -1 : message.indexOf(MARK);
        return message == null || mark < 0 ? null : message.substring(mark + MARK.length());
    }

    private static @Nullable LockCheck refusal(String text) {
        String[] seen = text.split("/", 3);
        int end = text.lastIndexOf(':');
        if (seen.length < 3 || end < 0) {
            return null;
        }
        String table = text.substring(text.length() - seen[2].length(), end);
        if (table.startsWith(IF_READ_COMMITTED)) {
            table = seen[0].startsWith("read ") ? table.substring(1) : "";
        }
        return new LockCheck(seen[0], seen[1].equals("on"), table, LockCheck.Lock.NOT_TRIED, 0);
    }

    /** An expression: the level of the transaction, where the check has let it pass; null for READ COMMITTED. */
    static String isolation(boolean anyIsolation) {
        return anyIsolation ? ISOLATION : "null::pg_catalog.text";
    }
}
