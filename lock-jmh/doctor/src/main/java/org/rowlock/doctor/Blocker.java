package org.rowlock.doctor;

import org.jspecify.annotations.Nullable;

/**
 * A session or prepared transaction that holds up others and waits for nobody.
 *
 * @param pid 0 for a prepared transaction
 * @param gid of that
 * @param waiting sessions directly or indirectly behind it, at a time
 * @param lock the type of the lock that they wait for
 * @param table of a table lock; null for others
 * @param firstPid the session directly behind it that most others are behind
 * @param firstQuery of that
 * @param isFirstInTheWay whether the others wait only because of that one, as behind DDL that waits itself
 * @param state as pg_stat_activity has it; empty where that cannot be seen
 * @param seconds in that state, or prepared
 * @param query its last statement, normalized; null if it may not be seen
 */
record Blocker(
        int pid,
        String gid,
        double waiting,
        String lock,
        @Nullable String table,
        int firstPid,
        @Nullable String firstQuery,
        boolean isFirstInTheWay,
        String state,
        double seconds,
        @Nullable String query) {
    /**
     * A pause of this length between lock and commit is no work any more, and a statement of this length no short one.
     */
    static final double LONG_SECONDS = 10;

    Blocker with(double otherWaiting) {
        return new Blocker(
                pid, gid, otherWaiting, lock, table, firstPid, firstQuery, isFirstInTheWay, state, seconds, query);
    }

    boolean isLong() {
        return seconds >= LONG_SECONDS;
    }

    /** Whether it holds a lock of this type; behind that may be which. */
    boolean isFor(String type) {
        return lock.equals(type) || lock.startsWith(type + ' ');
    }

    /** What it and the first behind it run. */
    String statements() {
        return query + "; " + firstQuery;
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
            case "active" -> "active";
            case "" -> "hidden";
            default -> "open";
        };
    }

    String figure() {
        return Figures.sessions(waiting) + " sessions wait behind it"
                + (lock.equals("relation") && table != null
                        ? " for table " + table
                        : lock.equals("advisory") ? " for an advisory lock" : "")
                + (isFirstInTheWay ? ", most behind session " + firstPid + " (" + firstQuery + ")" : "")
                + "; it is " + (state.isEmpty() ? pid == 0 ? "prepared" : "not visible" : state) + " for "
                + Figures.seconds(seconds);
    }
}
