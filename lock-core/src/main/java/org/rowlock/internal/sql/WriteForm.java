package org.rowlock.internal.sql;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Tokens;

/**
 * The properties of a write's text.
 *
 * @param text the text as it is sent, without a semicolon
 * @param keyword the first word of the text, in lower case
 * @param changes whether the text is an INSERT, UPDATE or DELETE that does not begin with WITH
 * @param returning whether the text has a RETURNING clause
 * @param parameters the number of parameters
 * @param statements the number of statements that the text contains
 */
public record WriteForm(
        String text, String keyword, boolean changes, boolean returning, int parameters, int statements) {
    private static final Set<String> TRANSACTION_CONTROL =
            Set.of("begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare");

    /**
     * The text that follows {@link LockCheckSql#mark} in the error for a wrong count. {@link #wrongCountIn} recognizes
     * the error by this text.
     */
    private static final String WRONG = "write ";

    /** The end of the message, which explains the error to readers of the server's log. */
    private static final String ROLLED_BACK = "; rolled back, as the application asked";

    /**
     * A write that has changed an unexpected number of rows.
     *
     * @param number the number of the write, from 1
     * @param found how many rows the write has changed
     */
    public record WrongCount(int number, long found) {}

    /** Returns the first word of a text after comments and brackets, in lower case; empty if there is none. */
    public static String keyword(String sql) {
        int at = 0;
        while (at < sql.length()) {
            int behind = Tokens.commentEnd(sql, at);
            if (behind > at) {
                at = behind;
            } else if (Character.isWhitespace(sql.charAt(at)) || sql.charAt(at) == '(') {
                at++;
            } else {
                break;
            }
        }
        int end = at;
        while (end < sql.length() && Character.isLetter(sql.charAt(end))) {
            end++;
        }
        return sql.substring(at, end).toLowerCase(Locale.ROOT);
    }

    /** Whether the write would begin or end a transaction or a savepoint. */
    public boolean isTransactionControl() {
        return TRANSACTION_CONTROL.contains(keyword);
    }

    /**
     * Returns the text of a write whose number of rows the server checks. The text raises an error if the number
     * differs from the expected number, so that a following COMMIT in the same flush does not run. The caller's
     * statement is in a WITH clause, whose rows are counted. If the statement has a RETURNING clause, the count is in
     * an additional last column. If the statement then returns no row, the result has one row that contains only the
     * count. An additional last parameter is for {@link LockCheckSql#mark}.
     *
     * @param number the number of the write, from 1
     */
    public String checked(long expected, int number) {
        // The caller's statement may end with a -- comment, which the line break ends.
        String counted = "with rowlock as (" + text + (returning ? "\n)" : "\nreturning 1)");
        String check = "case when pg_catalog.count(*) = " + expected + " then pg_catalog.count(*) else"
                + " cast(cast(? as pg_catalog.text) || '" + WRONG + number + " was to change " + expected
                + " row(s), found ' || pg_catalog.count(*) || '" + ROLLED_BACK + "' as pg_catalog.int8) end";
        return returning
                ? counted + " select r.*, c.n from (select " + check + " as n from rowlock) as c"
                        + " left join rowlock as r on true"
                : counted + " select " + check + " from rowlock";
    }

    /** Returns the write and its wrong count from the message of an error, or null for any other error. */
    public static @Nullable WrongCount wrongCountIn(@Nullable String message) {
        String marked = LockCheckSql.marked(message);
        if (marked == null || !marked.startsWith(WRONG)) {
            return null;
        }
        String[] numbers = marked.split("\\D+", -1);
        return new WrongCount(Integer.parseInt(numbers[1]), Long.parseLong(numbers[3]));
    }
}
