package org.rowlock.doctor;

import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Probe.Row;

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

    String action() {
        if (pid == 0) {
            String name = gid.replace("'", "''");
            return "End it as its transaction manager has decided: commit prepared '" + name
                    + "' or rollback prepared '" + name + "'.";
        }
        if (isFirstInTheWay) {
            return "Cancel what waits behind it and in front of everybody else, pg_cancel_backend(" + firstPid
                    + "), and run that again with a lock_timeout of a second.";
        }
        String last = statement == null ? "" : statement;
        return switch (state) {
            case "idle" ->
                "Release its advisory lock (pg_advisory_unlock), or end the session: pg_terminate_backend(" + pid
                        + ").";
            case "active" ->
                last.startsWith("create index") || last.startsWith("create unique index") || last.startsWith("reindex")
                        ? "Let it finish or cancel it, pg_cancel_backend(" + pid
                                + "), and build the index CONCURRENTLY."
                        : "Let it finish or cancel it, pg_cancel_backend(" + pid
                                + "), and do the same in shorter transactions.";
            case "" -> "Find out what it does; pg_read_all_stats shows it.";
            default ->
                "End its transaction, pg_terminate_backend(" + pid
                        + "), find out why it stays open, and set idle_in_transaction_session_timeout.";
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
