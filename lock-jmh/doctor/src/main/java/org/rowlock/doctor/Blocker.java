package org.rowlock.doctor;

import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * A session or prepared transaction that holds up others and waits for nobody.
 *
 * @param pid 0 for a prepared transaction
 * @param gid of that
 * @param waiting sessions directly or indirectly behind it, at a time
 * @param lock the type of the lock that they wait for
 * @param table of a table lock; null for others
 * @param firstPid the session directly behind it that most others are behind
 * @param firstStatement of that
 * @param isFirstInTheWay whether the others wait only because of that one, as behind DDL that waits itself
 * @param state as pg_stat_activity has it; empty where that cannot be seen
 * @param seconds in that state, or prepared
 * @param statement its last, normalized; null if it may not be seen
 */
record Blocker(
        int pid,
        String gid,
        double waiting,
        String lock,
        @Nullable String table,
        int firstPid,
        @Nullable String firstStatement,
        boolean isFirstInTheWay,
        String state,
        double seconds,
        @Nullable String statement) {
    /**
     * A pause of this length between lock and commit is no work any more, and a statement of this length no short one.
     */
    static final double LONG_SECONDS = 10;

    static Blocker of(Row row) {
        return new Blocker(
                (int) row.count("pid"),
                row.string("gid"),
                row.count("waiting"),
                row.string("locktype"),
                row.text("table_name"),
                (int) row.count("first_pid"),
                row.statement("first_query"),
                row.is("is_strong")
                        && row.count("behind") > 0
                        && row.string("locktype").equals("relation"),
                row.string("state"),
                Math.max(0, row.number("seconds")),
                row.statement("query"));
    }

    Blocker with(double otherWaiting) {
        return new Blocker(
                pid,
                gid,
                otherWaiting,
                lock,
                table,
                firstPid,
                firstStatement,
                isFirstInTheWay,
                state,
                seconds,
                statement);
    }

    boolean isLong() {
        return seconds >= LONG_SECONDS;
    }

    String name() {
        return pid == 0 ? "prepared transaction '" + gid + "'" : "session " + pid;
    }

    /** Which of the rule's forms. */
    String form() {
        if (pid == 0) {
            return "prepared";
        }
        if (isFirstInTheWay) {
            return "in-front";
        }
        return switch (state) {
            case "idle" -> "idle";
            case "active" ->
                statement != null && statement.matches("(?s)(create (unique )?index|reindex).*") ? "index" : "active";
            case "" -> "hidden";
            default -> "open";
        };
    }

    String figure() {
        return Figures.sessions(waiting) + " sessions wait behind it"
                + (lock.equals("relation") && table != null
                        ? " for table " + table
                        : lock.equals("advisory") ? " for an advisory lock" : "")
                + (isFirstInTheWay ? ", most behind session " + firstPid + " (" + firstStatement + ")" : "")
                + "; it is " + (state.isEmpty() ? pid == 0 ? "prepared" : "not visible" : state) + " for "
                + Figures.seconds(seconds);
    }
}
