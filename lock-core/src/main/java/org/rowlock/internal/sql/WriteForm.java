package org.rowlock.internal.sql;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a write that determine how it is sent.
 *
 * @param changes whether the SQL is an INSERT, UPDATE or DELETE that does not begin with WITH
 * @param returning whether the SQL has a RETURNING clause
 */
public record WriteForm(
        String text, String keyword, boolean changes, boolean returning, int parameters, int statements) {
    private static final Set<String> TRANSACTION_CONTROL =
            Set.of("begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare");

    /** The text after {@link LockCheckSql#mark} in the error for a wrong count; see {@link #wrongCountIn}. */
    private static final String WRONG = "write ";

    /** The end of the error message, for readers of the server's log. */
    private static final String ROLLED_BACK = "; rolled back, as the application asked";

    /**
     * A write that has changed an unexpected number of rows.
     *
     * @param number the number of the write, from 1
     * @param execution the number of the write's execution, from 1
     */
    public record WrongCount(int number, int execution, long found) {}

    /** Whether the write would begin or end a transaction or a savepoint. */
    public boolean isTransactionControl() {
        return TRANSACTION_CONTROL.contains(keyword);
    }

    /**
     * Returns SQL with which the server checks how many rows are changed. If the number is unexpected, the statement
     * raises an error, so that a following COMMIT in the same flush does not run. The caller's statement is in a WITH
     * clause, whose rows are counted. If the caller's statement has a RETURNING clause, the count is in an additional
     * last column. If the caller's statement returns no row, the result is one row with the count. The additional last
     * parameter is {@link #mark}.
     */
    public String checked(long expected) {
        // The line break ends a -- comment at the end of the caller's statement.
        String counted = "with rowlock as (" + text + (returning ? "\n)" : "\nreturning 1)");
        String check = "case when pg_catalog.count(*) = " + expected + " then pg_catalog.count(*) else"
                + " cast(cast(? as pg_catalog.text) || ' was to change " + expected
                + " row(s), found ' || pg_catalog.count(*) || '" + ROLLED_BACK + "' as pg_catalog.int8) end";
        return returning
                ? counted + " select r.*, c.n from (select " + check + " as n from rowlock) as c"
                        + " left join rowlock as r on true"
                : counted + " select " + check + " from rowlock";
    }

    /** Returns the beginning of the error message for a wrong count. */
    public static String mark(int number, int execution) {
        return LockCheckSql.mark() + WRONG + number + ", execution " + execution + ',';
    }

    /** Returns the wrong count that an error message reports; null for any other message. */
    public static @Nullable WrongCount wrongCountIn(@Nullable String message) {
        String marked = LockCheckSql.marked(message);
        if (marked == null || !marked.startsWith(WRONG)) {
            return null;
        }
        String[] numbers = marked.split("\\D+", -1);
        return new WrongCount(Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]), Long.parseLong(numbers[4]));
    }
}
