package org.rowlock.doctor;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was seen, as input of the rules. Figures cover the sampled time; numbers of sessions are averages.
 *
 * @param started when the sampling began, in UTC
 * @param seconds how long it took
 * @param samples how often sessions and locks were read
 * @param roundTripMillis the time of a round trip to the server
 * @param busy sessions with a running statement, by wait event
 * @param sessions other numbers of sessions: idle in transaction; hidden, whose work the role may not see; those with
 *     row waits, for a row or for the transaction that holds one; and the counts of activity.sql
 * @param tables the tables that sessions wait for, the most waits first
 * @param locking statements that lock rows, the most time first; empty without pg_stat_statements
 * @param used tables that were updated or scanned, the most updates first
 * @param perSecond the rates of the counters; empty if they could not be read
 * @param deadlocks the deadlocks in this database
 * @param lockTable the lock table at its fullest; null if it was never seen
 * @param horizon the sessions and others that hold back vacuum, the oldest first
 * @param strayWriters the roles that write without the lock, as Rowlock's audit has seen them, and their statements, by
 *     table
 * @param blockers the sessions that block others and wait for none, the one that blocks most first
 * @param nowait the statement that requests a lock NOWAIT most often; null if there is none
 * @param queryIds the server's query_id of each statement
 * @param unseen what could not be read
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
        Map<String, Long> queryIds,
        List<Unseen> unseen) {
    /**
     * A server.
     *
     * @param address the address as it is shown
     * @param standby whether it is in recovery
     * @param pooled whether a pooler is between the doctor and the server
     * @param isStandbyGone whether commits wait for a synchronous standby that is not connected
     */
    record Server(
            String address,
            String version,
            String database,
            String role,
            boolean standby,
            boolean pooled,
            boolean standbyFeedback,
            boolean isStandbyGone,
            long lockRoom) {}

    /**
     * The activity on a table.
     *
     * @param live the estimated number of live rows
     * @param dead the estimated number of dead rows
     * @param scanned the rows read by sequential scans
     * @param lacksIndex whether the table has a foreign key whose columns no index begins with
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

        String vacuumed() {
            return vacuumedSeconds == null ? "never vacuumed" : Figures.fill("vacuumed {vacuumedSeconds} ago", this);
        }
    }

    /**
     * The lock table at its fullest.
     *
     * @param entries the entries in use
     * @param most the largest number of entries of one session
     * @param session that session: its pid, and its application_name if it has one
     * @param query the statement of that session; null if the role may not see it
     * @param kept the largest number of advisory locks that one session holds without a transaction
     * @param keptBy the pid of that session; null if there is none
     */
    record LockTable(
            long entries,
            long most,
            String session,
            @Nullable String query,
            long kept,
            @Nullable String keptBy) {}

    /**
     * A holder of an xid or a snapshot that keeps vacuum from removing dead rows younger than it.
     *
     * @param kind session, standby, prepared transaction or replication slot
     * @param name the pid, or the name of the slot or of the prepared transaction
     * @param who role, application and state, as far as they are known
     * @param query its last statement; null if it has none or the role may not see it
     * @param xids how many xids were assigned since
     * @param seconds the time since its transaction began; null if the server does not show it
     * @param idleSeconds how long its session, and all others with the same snapshot, have been idle in transaction;
     *     null if one of them is not idle, or not visible
     */
    record HorizonHolder(
            String kind,
            String name,
            String who,
            @Nullable String query,
            long xids,
            @Nullable Double seconds,
            @Nullable Double idleSeconds) {
        /**
         * The form of the rule that fits this holder. The transaction of an application may be doing real work, such as
         * a backup or a report.
         */
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

    /** The share of busy time spent in row waits; empty if busy sessions cannot be counted. */
    Optional<Double> rowWaitsOfBusy() {
        return isHidden()
                ? Optional.empty()
                : Optional.of(busySessions() == 0 ? 0 : Math.min(1, rowWaits() / busySessions()));
    }

    /** The share of busy time in wait events with this prefix. */
    double busyIn(String event) {
        double in = busy.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(event))
                .mapToDouble(Map.Entry::getValue)
                .sum();
        return in * samples < Threshold.SIGHTINGS ? 0 : in / busySessions();
    }

    /** The share of the lock table's capacity that is in use. */
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
     * Whether the holder is old, by time. The number of xids alone proves little, because a busy server assigns any
     * number of them during a short report. A transaction may be older than its snapshot; then few xids have been
     * assigned since. The age of a slot or a standby can only be estimated from the rate of xids.
     */
    boolean isOld(HorizonHolder holder) {
        double atThisRate = Threshold.OLD_HORIZON_SECONDS * perSecond("xids");
        return holder.seconds() == null
                ? holder.xids() >= Math.max(Threshold.OLD_HORIZON_XIDS, atThisRate)
                : holder.seconds() >= Threshold.OLD_HORIZON_SECONDS
                        && holder.xids()
                                >= Math.max(Threshold.FEW_XIDS, Math.min(Threshold.OLD_HORIZON_XIDS, atThisRate / 2));
    }
}
