package org.rowlock.doctor;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All observations, which are the input of the rules. The figures cover the sampled time, and numbers of sessions are
 * averages.
 *
 * @param started when the sampling began, in UTC
 * @param busy the number of sessions with a running statement, by wait event
 * @param sessions the number of sessions by kind: the non-busy states in activity.sql, and kinds that {@link Samples}
 *     adds, such as "row waits". Sessions whose activity the role cannot see are "hidden"
 * @param tables the tables for whose rows sessions wait, the most waits first
 * @param locking the statements that lock rows, the most time first; empty without pg_stat_statements
 * @param used the tables that were ever updated or scanned, the one with the most updates in total first
 * @param perSecond the rates of the server's counters; empty if the counters could not be read
 * @param lockTable the lock table when it was fullest; null if it could not be read
 * @param horizon the holders of the vacuum horizon, the oldest first
 * @param strayWriters for each table, the roles and statements that wrote without the lock according to Rowlock's audit
 * @param blockers the blockers, the one that blocks the most sessions first
 * @param nowait the most frequent statement with NOWAIT; null if there is none
 */
record Seen(
        Server server,
        String started,
        double seconds,
        int samples,
        double roundTripMillis,
        Map<String, Double> busy,
        Map<String, Double> sessions,
        List<Table> tables,
        List<LockingStatement> locking,
        List<TableUse> used,
        Map<String, Double> perSecond,
        long deadlocks,
        @Nullable LockTable lockTable,
        List<HorizonHolder> horizon,
        Map<String, List<String>> strayWriters,
        List<Blocker> blockers,
        @Nullable String nowait,
        List<Unseen> unseen) {
    /**
     * A server.
     *
     * @param address the address without the password
     * @param isStandbyGone whether commits wait for a synchronous standby that is not connected
     * @param connectionRoom the number of client connections that the server permits, without reserved connections
     */
    record Server(
            String address,
            String version,
            String database,
            String role,
            boolean standby,
            boolean standbyFeedback,
            boolean isStandbyGone,
            long lockRoom,
            int connectionRoom) {}

    /**
     * The use of a table during the sampling.
     *
     * @param scanned the rows read by sequential scans
     * @param lacksIndex whether a foreign key of the table has no index that begins with the columns of the key
     * @param vacuumedSeconds the time since the last vacuum; null if there was none
     */
    record TableUse(
            String table,
            long updates,
            long live,
            long dead,
            long scans,
            long scanned,
            boolean lacksIndex,
            @Nullable Double vacuumedSeconds) {
        double scannedRows() {
            return (double) scanned / Math.max(1, scans);
        }

        boolean isBloated() {
            return dead >= Threshold.DEAD_ROWS && dead >= live;
        }

        String vacuumed() {
            return vacuumedSeconds == null ? "never vacuumed" : Figures.fill("vacuumed {vacuumedSeconds} ago", this);
        }
    }

    /**
     * The shared lock table when it was fullest.
     *
     * @param most the largest number of entries of one session
     * @param session the session with the most entries: its pid, and its application_name if it has one
     * @param query the statement of the session with the most entries; null if the role cannot see the statement
     * @param kept the largest number of advisory locks that one session holds outside a transaction
     * @param keepers the number of sessions that hold advisory locks outside a transaction
     * @param keptBy the pid of the session with those advisory locks; null if no session has any
     */
    record LockTable(
            long entries,
            long most,
            String session,
            @Nullable String query,
            long kept,
            long keepers,
            @Nullable String keptBy) {}

    /**
     * The holder of an old xid or snapshot. Vacuum cannot remove rows that died after the xid or snapshot was taken.
     *
     * @param kind "session", "standby", "prepared transaction" or "replication slot"
     * @param name the pid, or the name of the slot or of the prepared transaction
     * @param who the role, application and state, if the doctor's role can see them
     * @param query the holder's last statement; null if there is none or the role cannot see the statement
     * @param xids how many xids the server has assigned since the holder's xid or snapshot
     * @param seconds the age of the holder's transaction; null if the server does not show the age
     * @param idleSeconds how long all sessions with this snapshot have been idle in transaction; null if any of these
     *     sessions is active or hidden
     */
    record HorizonHolder(
            String kind,
            String name,
            String who,
            @Nullable String query,
            long xids,
            @Nullable Double seconds,
            @Nullable Double idleSeconds) {
        /** Returns the key of the holder's text in words.properties. */
        String form() {
            if (!kind.equals("session")) {
                return kind.replace(' ', '-');
            }
            boolean isAtWork = idleSeconds == null || idleSeconds < Threshold.OLD_HORIZON_SECONDS;
            return seconds == null ? "hidden" : isAtWork ? "at-work" : "open";
        }

        String quotedName() {
            return name.replace("'", "''");
        }

        String text() {
            String holder = who.isEmpty() ? "{kind} {name}" : "{kind} {name} ({who})";
            return Figures.fill(holder + (seconds == null ? "" : " for {seconds}") + ", through {xids} xids", this);
        }
    }

    double sessions(String kind) {
        return sessions.getOrDefault(kind, 0.0);
    }

    double rowWaits() {
        return sessions("row waits");
    }

    boolean isHidden() {
        return sessions("hidden") > 0;
    }

    double busySessions() {
        return busy.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** The share of busy sessions that wait for rows; empty if the role cannot see which sessions are busy. */
    Optional<Double> rowWaitsOfBusy() {
        return isHidden()
                ? Optional.empty()
                : Optional.of(busySessions() == 0 ? 0 : Math.min(1, rowWaits() / busySessions()));
    }

    /** The share of busy sessions in wait events with this prefix; 0 if the samples are too few. */
    double busyIn(String event) {
        double in = busy.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(event))
                .mapToDouble(Map.Entry::getValue)
                .sum();
        return in * samples < Threshold.SIGHTINGS ? 0 : in / busySessions();
    }

    /** The number of client connections, including the doctor's own. */
    double connections() {
        return sessions("connections") + 1;
    }

    double idle() {
        return sessions("idle");
    }

    double connectionShare() {
        return connections() / Math.max(1, server.connectionRoom);
    }

    double lockTableShare() {
        return lockTable == null ? 0 : (double) lockTable.entries / Math.max(1, server.lockRoom);
    }

    double perSecond(String counter) {
        return perSecond.getOrDefault(counter, 0.0);
    }

    double multixacts() {
        return perSecond("multixacts");
    }

    long deadlocked() {
        return tables.stream().mapToLong(Table::deadlocked).sum();
    }

    /**
     * Whether the holder is old enough to matter. Its age in seconds decides, because a busy server assigns many xids
     * during a short report. A number of xids is required too, because a transaction may be older than its snapshot,
     * and only an old snapshot holds back vacuum. The server does not show the age of a slot or a standby, so the rate
     * of xids gives an estimate. A younger holder matters if it kept a vacuum from removing the dead rows of a table.
     */
    boolean isOld(HorizonHolder holder) {
        double atThisRate = Threshold.OLD_HORIZON_SECONDS * perSecond("xids");
        Double seconds = holder.seconds();
        if (seconds == null) {
            return holder.xids() >= Math.max(Threshold.OLD_HORIZON_XIDS, atThisRate);
        }
        double enough = Math.min(Threshold.OLD_HORIZON_XIDS, atThisRate / 2);
        boolean isLong =
                seconds >= Threshold.OLD_HORIZON_SECONDS && holder.xids() >= Math.max(Threshold.FEW_XIDS, enough);
        return isLong
                || used.stream()
                        .anyMatch(table -> table.isBloated()
                                && table.vacuumedSeconds() != null
                                && table.vacuumedSeconds() < seconds);
    }
}
