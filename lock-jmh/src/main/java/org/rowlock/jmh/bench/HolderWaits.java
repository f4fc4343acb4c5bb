package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.profile.WaitSampler;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * Samples, in a separate thread, the wait events of the holders of contended locks. The first waiter for a row waits
 * for the xid of the holder, which identifies the holder. An instance belongs to one thread.
 */
record HolderWaits(WaitSampler sampler) {
    private static final long INTERVAL_MILLIS = 20;

    private static final String QUERY = """
            with l as materialized (select * from pg_locks where locktype in ('transactionid', 'advisory'))
            select coalesce(a.wait_event_type || ':' || a.wait_event, 'CPU'), count(distinct h.pid)
              from l w
              join l h on h.granted and h.locktype = w.locktype
                      and (h.transactionid = w.transactionid
                           or (h.database, h.classid, h.objid, h.objsubid)
                               = (w.database, w.classid, w.objid, w.objsubid))
              join pg_stat_activity a on a.pid = h.pid and a.datname = current_database()
             where not w.granted
             group by 1
            """;

    private static final Map<String, List<String>> PLACES = Map.of(
            "standby", List.of("IPC:SyncRep"),
            "disk", List.of("IO:WALSync", "IO:WalSync", "IO:WALWrite", "IO:WalWrite", "LWLock:WALWrite"),
            "client", List.of("Client:ClientRead"));

    /** Begins to sample. The sampling ends with the server at the latest. */
    static HolderWaits watch(BenchmarkServer server) throws SQLException {
        return new HolderWaits(server.closeWith(WaitSampler.start(server.connect(), QUERY, INTERVAL_MILLIS)));
    }

    /**
     * Ends the sampling, and publishes the share of their time that holders spent in each wait event. It publishes
     * nothing if no session waited for a holder.
     */
    void end(Published results) throws SQLException {
        Map<String, Double> seen = sampler.stop();
        double all = seen.values().stream().mapToDouble(Double::doubleValue).sum();
        if (all > 0) {
            PLACES.forEach((place, events) -> {
                double there = 0;
                for (String event : events) {
                    there += seen.getOrDefault(event, 0.0);
                }
                results.put("holders." + place, 100 * there / all, "%");
            });
        }
    }
}
