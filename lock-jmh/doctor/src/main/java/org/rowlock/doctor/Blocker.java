package org.rowlock.doctor;

import org.jspecify.annotations.Nullable;

/**
 * A session or prepared transaction that blocks others and waits for no other session.
 *
 * @param pid 0 for a prepared transaction
 * @param gid the gid of the prepared transaction
 * @param waiting the average number of sessions that it blocks, directly or indirectly
 * @param lock the type of the lock that they wait for; followed by " notify" for the lock that NOTIFY takes
 * @param table the table of a table lock; null for other locks
 * @param firstPid the session that it blocks directly and that blocks most of the others
 * @param firstQuery the statement of that session
 * @param isFirstInTheWay whether only that session blocks the others, as DDL does while it waits itself
 * @param state as pg_stat_activity shows it, or "prepared", or "not visible"
 * @param seconds how long it has been in that state
 * @param query its last statement, normalized; null if the role may not see it
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

    /** The pid, or the gid of a prepared transaction. */
    String holder() {
        return gid.isEmpty() ? pid : gid;
    }

    /** Whether it has blocked others for so long that their requests hang. */
    boolean isHanging() {
        return seconds >= Threshold.LONG_SECONDS && waiting >= Threshold.FELT_SESSIONS;
    }

    /** Describes the state of the session, and for how long it has been in it. */
    String doing() {
        return Figures.fill(
                state.equals("not visible")
                        ? "what it does is not visible, and the first has waited for {seconds}"
                        : "it is {state} for {seconds}",
                this);
    }

    String name() {
        return gid.isEmpty() ? "session " + pid : "prepared transaction '" + gid + "'";
    }

    String quotedGid() {
        return gid.replace("'", "''");
    }

    /** The form of the rule that fits this blocker. */
    String form() {
        if (isFirstInTheWay && !state.equals("prepared")) {
            return "in-front";
        }
        return state.startsWith("idle in") ? "open" : state.replace(' ', '-');
    }

    /** The lock that the others wait for, in words. */
    String wanted() {
        String what = lock.equals("relation") && table != null
                ? " for table " + table
                : lock.equals("advisory") ? " for an advisory lock" : "";
        return what + (isFirstInTheWay ? ", most behind session " + firstPid + " (" + firstQuery + ")" : "");
    }
}
