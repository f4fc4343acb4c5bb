package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * What those wait for who have a lock that another session waits for: looks again and again, in a thread of its own. A holder
 * of a row is known by its xid, which those in front of the queue for the row wait for. For one thread, but for its own.
 */
final class HolderWaits {
    private static final long INTERVAL_MILLIS = 20;

    private static final String QUERY = """
            with l as materialized (select * from pg_locks where locktype in ('transactionid', 'advisory'))
            select coalesce(a.wait_event_type || ':' || a.wait_event, 'CPU'), count(distinct h.pid)
              from l w
              join l h on h.granted and h.locktype = w.locktype
                      and (h.transactionid = w.transactionid
                           or (h.database, h.classid, h.objid, h.objsubid) = (w.database, w.classid, w.objid, w.objsubid))
              join pg_stat_activity a on a.pid = h.pid and a.datname = current_database()
             where not w.granted
             group by 1
            """;

    private static final Map<String, List<String>> PLACES = Map.of(
            "standby", List.of("IPC:SyncRep"),
            "disk", List.of("IO:WALSync", "IO:WalSync", "IO:WALWrite", "IO:WalWrite", "LWLock:WALWrite"),
            "client", List.of("Client:ClientRead"));

    private final Connection connection;
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread = new Thread(this::sample, "rowlock-jmh-holder-waits");
    private final Map<String, Long> seen = new TreeMap<>();
    private @Nullable SQLException failure;

    private HolderWaits(Connection connection) {
        this.connection = connection;
    }

    /** Begins. Ends with the server at the latest. */
    static HolderWaits watch(BenchmarkServer server) throws SQLException {
        HolderWaits waits = new HolderWaits(server.connect());
        server.closeWith(waits::close);
        waits.thread.setDaemon(true);
        waits.thread.start();
        return waits;
    }

    private void sample() {
        try (connection;
                PreparedStatement statement = connection.prepareStatement(QUERY)) {
            do {
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        seen.merge(rows.getString(1), rows.getLong(2), Long::sum);
                    }
                }
            } while (!end.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS));
        } catch (SQLException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends, and tells by place how much of their time holders were there; nothing where nobody waited for a holder. */
    void end(Meter meter) throws SQLException {
        close();
        if (failure != null) {
            throw failure;
        }
        double all = seen.values().stream().mapToLong(Long::longValue).sum();
        if (all > 0) {
            PLACES.forEach((place, events) -> meter.gauge(
                    "holders." + place,
                    100
                            * events.stream()
                                    .mapToLong(event -> seen.getOrDefault(event, 0L))
                                    .sum()
                            / all,
                    "%"));
        }
    }

    private void close() {
        end.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
