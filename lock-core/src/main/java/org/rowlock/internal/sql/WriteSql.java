package org.rowlock.internal.sql;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A write that the server itself checks: it raises an error where not as many rows are changed as expected, so that a
 * COMMIT behind it in the same flush does not commit. The statement stands in a WITH, whose rows are counted.
 */
public final class WriteSql {
    /** What a count that is wrong says behind the mark, for {@link #findIn} to find. */
    private static final String WRONG = "write ";

    private static final Pattern WRONG_COUNT =
            Pattern.compile(WRONG + "(\\d+) was to change \\d+ row\\(s\\), found (\\d+)");

    private WriteSql() {}

    /**
     * The count of a write that is wrong.
     *
     * @param number of the write, from 1
     * @param found how many rows it changed
     */
    public record WrongCount(int number, long found) {}

    /**
     * The text with the check. It has one parameter more, behind its own, for {@link GuardSql#mark}.
     *
     * @param sql the statement, without a semicolon at its end
     * @param returning whether it has a RETURNING of its own; then the count is in a column behind those, and without
     *     any row there is one
     * @param number of the write, from 1
     */
    public static String checked(String sql, boolean returning, long expected, int number) {
        // The line break ends a comment that the statement may end with.
        String counted = "with rowlock as (" + sql + (returning ? "\n)" : "\nreturning 1)");
        String check = "case when pg_catalog.count(*) = " + expected + " then pg_catalog.count(*) else"
                + " cast(cast(? as pg_catalog.text) || '" + WRONG + number + " was to change " + expected
                + " row(s), found ' || pg_catalog.count(*) as pg_catalog.int8) end";
        return returning
                ? counted + " select r.*, c.n from (select " + check + " as n from rowlock) as c"
                        + " left join rowlock as r on true"
                : counted + " select " + check + " from rowlock";
    }

    /** The count that an error says is wrong, or null where the error is another. */
    public static @Nullable WrongCount findIn(@Nullable String message) {
        String marked = GuardSql.marked(message);
        Matcher wrong = WRONG_COUNT.matcher(marked == null ? "" : marked);
        return wrong.lookingAt()
                ? new WrongCount(Integer.parseInt(wrong.group(1)), Long.parseLong(wrong.group(2)))
                : null;
    }
}
