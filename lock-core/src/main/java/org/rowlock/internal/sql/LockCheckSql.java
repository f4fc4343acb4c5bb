package org.rowlock.internal.sql;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;

/**
 * The check in a lock statement. If a lock would be useless, the statement neither waits nor locks. A check either
 * returns its refusal as a text, or is raising: it raises an error, so that the following statements of the round trip
 * do not run. The message of a raised error contains the {@link #mark}, a random text by which Rowlock recognizes the
 * error as its own.
 */
public final class LockCheckSql {
    static final String ISOLATION = "pg_catalog.current_setting('transaction_isolation')";
    static final String READ_ONLY = "pg_catalog.current_setting('transaction_read_only')";

    /** The beginning of the text that the statement returns if the check refuses the lock without raising an error. */
    private static final String REFUSED = "rowlock:";

    /**
     * The mark of an error that the check raises. {@link #marked} recognizes the mark in a message of any language. The
     * mark is random, because error messages also quote ids and binds, which may contain any text. The mark is sent as
     * a parameter, so that the SQL is the same in every JVM and a pooler can share prepared statements.
     */
    private static final String MARK = REFUSED + new BigInteger(96, new SecureRandom()).toString(36) + ':';

    private static final String TAKEN = "taken";
    private static final String STALE = "stale";
    private static final String ABSENT = "absent";

    private LockCheckSql() {}

    /** Returns a condition: the isolation level and the read-only state of the transaction allow a useful lock. */
    static String agreed(boolean anyIsolation) {
        return READ_ONLY + " = 'off'"
                + (anyIsolation ? "" : " and " + ISOLATION + " in ('read committed', 'read uncommitted')");
    }

    /**
     * Returns an expression of type text with the reason why the check refuses the lock.
     *
     * @param whyNotTable an expression for the reason why the table is unsuitable; null if the table is suitable
     * @param raising whether the expression raises an error (invalid text for an integer), so that the following
     *     statements in the round trip do not run. The expression then has a parameter for the {@link #mark}
     */
    static String refusal(String whyNotTable, boolean raising) {
        String seen = ISOLATION + " || '/' || " + READ_ONLY + " || '/' || coalesce(" + whyNotTable + ", '') || ':'";
        return raising ? raise(seen) : "'" + REFUSED + "' || " + seen;
    }

    /**
     * Returns an expression that raises the error for a lock that another transaction holds. The parameter is the
     * {@link #mark}.
     */
    static String raiseTaken() {
        return raise("'" + TAKEN + "' || " + READ_ONLY);
    }

    static String raiseStale() {
        return raise("'" + STALE + "' || " + READ_ONLY);
    }

    static String raiseAbsent() {
        return raise("'" + ABSENT + " row to lock; rolled back, read only: ' || " + READ_ONLY);
    }

    /**
     * Returns an expression that raises an error with a text. The SQL expression for the text must call
     * current_setting, so that the planner cannot evaluate the expression in advance.
     */
    static String raise(String what) {
        return "cast(cast(? as pg_catalog.text) || " + what + " as integer)::pg_catalog.text";
    }

    static int bindMark(PreparedStatement statement, int at, ResolvedRequest request) throws SQLException {
        statement.setString(at, MARK);
        return at + 1;
    }

    /**
     * Returns the outcome from the result of a lock statement for one key; null if the key is locked. A lock function
     * that waits returns void, which is read as an empty text. A lock function that only tries returns true or false.
     */
    static @Nullable Outcome unlockedBy(String result) {
        return result.equals("false")
                ? Outcome.NotAvailable.AT_ONCE
                : result.startsWith(REFUSED) ? refusal(result.substring(REFUSED.length())) : null;
    }

    /** Returns the outcome from the message of an error that the check has raised; null for any other message. */
    public static @Nullable Outcome outcomeIn(@Nullable String message) {
        String text = marked(message);
        if (text == null) {
            return null;
        }
        if (text.startsWith(TAKEN)) {
            return Outcome.NotAvailable.AT_ONCE;
        }
        if (text.startsWith(ABSENT)) {
            return new Outcome.Absent();
        }
        return text.startsWith(STALE) ? new Outcome.Stale(true) : refusal(text);
    }

    public static String mark() {
        return MARK;
    }

    static @Nullable String marked(@Nullable String message) {
        int mark = message == null ? -1 : message.indexOf(MARK);
        return message == null || mark < 0 ? null : message.substring(mark + MARK.length());
    }

    private static @Nullable Outcome refusal(String text) {
        String[] seen = text.split("/", 3);
        int end = text.lastIndexOf(':');
        if (seen.length < 3 || end < 0) {
            return null;
        }
        String table = text.substring(text.length() - seen[2].length(), end);
        return new Outcome.Refused(seen[0], seen[1].equals("on"), table, null);
    }

    /** Returns an expression for the isolation level. Its value is null if only READ COMMITTED is allowed. */
    static String isolation(boolean anyIsolation) {
        return anyIsolation ? ISOLATION : "null::pg_catalog.text";
    }
}
