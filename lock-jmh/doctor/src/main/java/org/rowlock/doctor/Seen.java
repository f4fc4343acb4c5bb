package org.rowlock.doctor;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was seen, for the rules. Figures are of the time looked at; sessions are averages at a time.
 *
 * @param started when the looking began, in UTC
 * @param seconds how long it took
 * @param samples how often sessions and locks were looked at
 * @param roundTripMillis between here and the server
 * @param busy sessions with a running statement, by wait event
 * @param sessions of other kinds: idle in transaction; hidden, of which the role may not see what they do; those with
 *     row waits, for a row or for the transaction that holds one; and what activity.sql counts
 * @param otherDatabases sessions that wait for rows there, by database
 * @param tables waited for, most waits first
 * @param locking statements that lock rows, most time first; none without pg_stat_statements
 * @param used tables that were updated or scanned, most updates first
 * @param perSecond what counters gained; empty if they could not be read
 * @param deadlocks in this database
 * @param lockTable how full the lock table is at most; null if it was never seen
 * @param horizon the sessions and others that hold vacuum back, the oldest first
 * @param strayWriters roles that write without the lock, as Rowlock's audit has seen, and their statement, by table
 * @param blockers the sessions that hold up others and wait for none, the one that holds up most first
 * @param nowait the statement that wants a lock NOWAIT most often; null if there is none
 * @param queryIds the server's query_id of statements
 * @param unseen what could not be looked at
 */
record Seen(
        Server server,
        String started,
        double seconds,
        int samples,
        double roundTripMillis,
        Map<String, Double> busy,
        Map<String, Double> sessions,
        Map<String, Double> otherDatabases,
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
     * @param address as it is shown
     * @param standby whether it is in recovery
     * @param pooled whether something stands between us and the server
     * @param isStandbyGone whether commits wait for a synchronous standby, and none is there
     * @param cluster the extension that makes the database one of several machines; null if there is none
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
            long lockRoom,
            @Nullable String cluster) {}

    /**
     * What was done with a table.
     *
     * @param live rows, estimated
     * @param dead rows, estimated
     * @param scanned rows, by sequential scans
     * @param lacksIndex whether a foreign key leads from it whose columns no index begins with
     * @param vacuumedSeconds since the last vacuum; null for never
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
     * @param entries in use
     * @param most entries of one session
     * @param session that one: its pid, and its application_name if it has one
     * @param query the statement of that one; null if it may not be seen
     */
    record LockTable(
            long entries,
            long most,
            String session,
            @Nullable String query) {}

    /**
     * Something that keeps vacuum from removing dead rows that are younger than it, by an xid or a snapshot of its own.
     *
     * @param kind session, standby, prepared transaction or replication slot
     * @param name the pid, or the slot's or the prepared transaction's name
     * @param who role, application and state, as far as known
     * @param query its last statement; null if it has none or may not be seen
     * @param xids how many were given out since
     * @param seconds since its transaction began; null if the server does not show it
     * @param idleSeconds since its session, and all others by the same snapshot, have been idle in that transaction;
     *     null if they are not, or not visible
     */
    record HorizonHolder(
            String kind,
            String name,
            String who,
            @Nullable String query,
            long xids,
            @Nullable Double seconds,
            @Nullable Double idleSeconds) {
        /** Which of the rule's forms. A transaction of an application may be at work: a backup, a report. */
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

    /** Of busy time; empty where busy sessions cannot be counted. */
    Optional<Double> rowWaitsOfBusy() {
        return isHidden()
                ? Optional.empty()
                : Optional.of(busySessions() == 0 ? 0 : Math.min(1, rowWaits() / busySessions()));
    }

    /** The part of busy time in wait events that begin so. */
    double busyIn(String event) {
        double in = busy.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(event))
                .mapToDouble(Map.Entry::getValue)
                .sum();
        return in * samples < Threshold.SIGHTINGS ? 0 : in / busySessions();
    }

    /** Of the room of the lock table. */
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
     * By time: a server that is busy enough gives out any number of xids during a short report. A transaction may be
     * older than its snapshot; then few xids have been given out since. A slot and a standby have no clock but the rate
     * of the xids.
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
