package org.rowlock.doctor;

import org.jspecify.annotations.Nullable;

/**
 * A session or prepared transaction that blocks others and waits for no other session.
 *
 * @param pid the process of the session; 0 for a prepared transaction
 * @param gid the gid of the prepared transaction; empty for a session
 * @param application the application_name, and the name of the database if the doctor examines another; null if both
 *     are missing
 * @param waiting the average number of sessions that the blocker delays, directly or indirectly
 * @param lock the locktype in pg_locks that the first blocked session waits for; "object notify" for the lock of NOTIFY
 * @param table the table of a table lock, and the modes in which the blocker holds it; null for other locks
 * @param firstPid the first blocked session: it waits directly for the blocker, and the most sessions wait behind it
 * @param isFirstInTheWay whether the first blocked session itself blocks the others, for example because it runs DDL
 * @param state the state in pg_stat_activity, or "prepared", or "not visible"
 * @param seconds how long the blocker has been in its state
 * @param blockedSeconds how long sessions have been waiting for the blocker's current transaction
 * @param query the blocker's last statement, normalized; null if the role cannot see the statement
 */
record Blocker(
        String pid,
        String gid,
        @Nullable String application,
        double waiting,
        String lock,
        @Nullable String table,
        String firstPid,
        @Nullable String firstQuery,
        boolean isFirstInTheWay,
        String state,
        double seconds,
        double blockedSeconds,
        @Nullable String query) {

    String holder() {
        return gid.isEmpty() ? pid : gid;
    }

    /** Whether the blocker delays other sessions, and its state or their wait has lasted for a long time. */
    boolean isHanging() {
        return Math.max(seconds, blockedSeconds) >= Threshold.LONG_SECONDS && waiting >= Threshold.FELT_SESSIONS;
    }

    /** Whether advice names this session or prepared transaction as one that blocks others. */
    boolean isTold(String name) {
        return isHanging() && !isInFront() && holder().equals(name);
    }

    /** Whether the blocker has begun or ended a statement lately. */
    private boolean isAtWork() {
        return seconds < Threshold.LONG_SECONDS;
    }

    String doing() {
        return Figures.fill(
                state.equals("not visible")
                        ? "its activity is not visible, and the first session behind it has waited for {seconds}"
                        : isAtWork()
                                ? "it is at work, and has blocked them for {blockedSeconds}"
                                : "it has been {state} for {seconds}",
                this);
    }

    String name() {
        String name = gid.isEmpty() ? "session " + pid : "prepared transaction '" + gid + "'";
        return name + (application == null ? "" : " (" + application + ")");
    }

    /** Names the session to act on: the first blocked session if it is to be cancelled, otherwise the blocker. */
    String subject() {
        return isInFront() ? "session " + firstPid : name();
    }

    @Nullable
    String subjectQuery() {
        return isInFront() ? firstQuery : query;
    }

    private boolean isInFront() {
        return isFirstInTheWay && !state.equals("prepared");
    }

    String quotedGid() {
        return gid.replace("'", "''");
    }

    /** Returns the key of the blocker's text in words.properties. */
    String form() {
        if (isInFront()) {
            return "in-front";
        }
        if (isAtWork()) {
            return "at-work";
        }
        return state.startsWith("idle in") ? "open" : state.replace(' ', '-');
    }

    String wanted() {
        String what = lock.equals("relation") && table != null
                ? " for table " + table
                : lock.equals("advisory") ? " for an advisory lock" : "";
        return what + (isFirstInTheWay ? ", most behind session " + firstPid + " (" + firstQuery + ")" : "");
    }
}
