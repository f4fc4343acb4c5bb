package org.rowlock.doctor;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * Everything that was seen, for the rules. Figures are of the time looked at; sessions are averages at a time.
 *
 * @param server which
 * @param started when the looking began, in UTC
 * @param seconds how long it took
 * @param samples how often sessions and locks were looked at
 * @param roundTripMillis between here and the server
 * @param busy sessions with a running statement, by wait event
 * @param idleInTransaction sessions
 * @param hidden sessions of other roles, of which the role may not see what they do
 * @param rowWaits sessions that wait for a row, or for the transaction that holds one
 * @param unnamedRowWaits those of them at a table that nobody names
 * @param otherDatabases those of them in other databases, by database
 * @param tables waited for, most waits first
 * @param locking statements with a locking clause, most time first; null without pg_stat_statements
 * @param used tables that were updated or scanned, most updates first
 * @param perSecond what counters gained; empty if they could not be read
 * @param deadlocks in this database
 * @param lockTable how full the lock table was at most; null if it was never seen
 * @param horizon the sessions and others that hold vacuum back, the oldest first
 * @param strayWriters roles that write without the lock, as Rowlock's audit has seen, and their statement, by table
 * @param blockers the sessions that hold up others and wait for none, the one that holds up most first
 * @param nowait statements that want a lock NOWAIT, at a time
 * @param snapshots sessions that keep a snapshot between two statements, at a time
 * @param aborted sessions in a transaction that has failed, at a time
 * @param serializable whether there were predicate locks
 * @param isStandbyGone whether commits wait for a synchronous standby, and none is there
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
        double idleInTransaction,
        double hidden,
        double rowWaits,
        double unnamedRowWaits,
        Map<String, Double> otherDatabases,
        List<Table> tables,
        @Nullable List<LockingStatement> locking,
        List<TableUse> used,
        Map<String, Double> perSecond,
        long deadlocks,
        @Nullable LockTable lockTable,
        List<HorizonHolder> horizon,
        Map<String, List<String>> strayWriters,
        List<Blocker> blockers,
        Map<String, Double> nowait,
        double snapshots,
        double aborted,
        boolean serializable,
        boolean isStandbyGone,
        Map<String, Long> queryIds,
        List<Unseen> unseen) {

    /**
     * A server.
     *
     * @param address as it is shown
     * @param standby whether it is in recovery
     * @param pooled whether something stands between us and the server
     * @param preloaded shared_preload_libraries; null if the role may not see it
     * @param statementsSchema where pg_stat_statements is; null if it is not installed
     * @param cluster the extension that makes the database one of several machines; null if there is none
     */
    record Server(
            String address,
            String version,
            String database,
            String role,
            boolean standby,
            boolean pooled,
            boolean readsAllStats,
            boolean standbyFeedback,
            long lockRoom,
            @Nullable String preloaded,
            @Nullable String statementsSchema,
            @Nullable String cluster) {}

    /**
     * What was done with a table.
     *
     * @param isReferenced whether foreign keys lead to it
     * @param updates a second
     * @param hotShare of them, with room on the row's own page and no index touched
     * @param live rows, estimated
     * @param dead rows, estimated
     * @param vacuumedSeconds since the last vacuum; null for never
     * @param scannedRows of a sequential scan
     * @param lacksIndex whether a foreign key leads from it whose columns no index begins with
     */
    record TableUse(
            String table,
            boolean isReferenced,
            double updates,
            double hotShare,
            long live,
            long dead,
            @Nullable Double vacuumedSeconds,
            double scannedRows,
            boolean lacksIndex) {
        static TableUse of(Row then, Row row, double seconds) {
            long updates = row.grown("updates", then);
            return new TableUse(
                    row.string("table_name"),
                    row.is("is_referenced"),
                    updates / seconds,
                    updates <= 0 ? 0 : (double) row.grown("hot_updates", then) / updates,
                    row.count("live"),
                    row.count("dead"),
                    row.age("vacuumed_s"),
                    (double) row.grown("scanned", then) / Math.max(1, row.grown("scans", then)),
                    row.is("lacks_index"));
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
        /** A transaction of an application that is at work: a backup, a report, a statement in flight. */
        boolean isAtWork() {
            return kind.equals("session") && (idleSeconds == null || idleSeconds < Threshold.OLD_HORIZON_SECONDS);
        }

        String text() {
            return kind + ' ' + name + (who.isEmpty() ? "" : " (" + who + ')')
                    + (seconds == null ? "" : " for " + Figures.seconds(seconds)) + ", through " + Figures.count(xids)
                    + " xids";
        }
    }

    double busySessions() {
        return busy.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Of busy time; empty where busy sessions cannot be counted. */
    Optional<Double> rowWaitShare() {
        return hidden > 0
                ? Optional.empty()
                : Optional.of(busySessions() == 0 ? 0 : Math.min(1, rowWaits / busySessions()));
    }

    /** The part of busy time in wait events that begin so. */
    double busyIn(String event) {
        double in = busy.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(event))
                .mapToDouble(Map.Entry::getValue)
                .sum();
        return in * samples < Threshold.SIGHTINGS ? 0 : in / busySessions();
    }

    /** None without pg_stat_statements. */
    List<LockingStatement> lockingStatements() {
        return locking == null ? List.of() : locking;
    }

    /** Of the room of the lock table. */
    double lockTableShare() {
        return lockTable == null ? 0 : (double) lockTable.entries / Math.max(1, server.lockRoom);
    }

    double perSecond(String counter) {
        return perSecond.getOrDefault(counter, 0.0);
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
