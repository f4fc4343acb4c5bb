package org.rowlock.doctor;

import org.jspecify.annotations.Nullable;

/**
 * A session or prepared transaction that holds up others and waits for nobody.
 *
 * @param pid 0 for a prepared transaction
 * @param gid of that
 * @param waiting sessions directly or indirectly behind it, at a time
 * @param lock the type of the lock that they wait for, and behind a space which
 * @param table of a table lock; null for others
 * @param firstPid the session directly behind it that most others are behind
 * @param firstQuery of that
 * @param isFirstInTheWay whether the others wait only because of that one, as behind DDL that waits itself
 * @param state as pg_stat_activity has it, or "prepared", or "not visible"
 * @param seconds in that state
 * @param query its last statement, normalized; null if it may not be seen
 */
record Blocker(
        String pid,
        String gid,
        double waiting,
        String lock,
        @Nullable String table,
        String firstPid,
        @Nullable String firstQuery,
        boolean isFirstInTheWay,
        String state,
        double seconds,
        @Nullable String query) {

    String name() {
        return gid.isEmpty() ? "session " + pid : "prepared transaction '" + gid + "'";
    }

    String quotedGid() {
        return gid.replace("'", "''");
    }

    /** Which of the rule's forms. */
    String form() {
        if (isFirstInTheWay && !state.equals("prepared")) {
            return "in-front";
        }
        return state.startsWith("idle in") ? "open" : state.replace(' ', '-');
    }

    /** What the others wait for, in words. */
    String wanted() {
        String what = lock.equals("relation") && table != null
                ? " for table " + table
                : lock.equals("advisory") ? " for an advisory lock" : "";
        return what + (isFirstInTheWay ? ", most behind session " + firstPid + " (" + firstQuery + ")" : "");
    }
}
