package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import org.openjdk.jmh.annotations.Param;

/** Workers that claim ten ready jobs at a time, finish them, and commit. What is counted is jobs. */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE})
public class Queue extends LockWorkload {
    private static final int AT_A_TIME = 10;

    /** Ready jobs for each worker; those that others hold at a time are a small part. */
    private static final int READY_PER_WORKER = 10 * AT_A_TIME;

    private static final int LEAST_READY = 2_000;

    /** The workers. */
    @Param("64")
    public int clients;

    private JobTable queue;

    @Override
    void prepare() throws SQLException {
        queue = JobTable.create(server, Math.max(LEAST_READY, clients * READY_PER_WORKER));
        atEnd(queue::check);
        HikariDataSource pool = server.pool(clients);
        Locking locking = locking(pool, JobTable.TABLE, "id");
        Meter.Average empty = meter.average("emptyClaims");
        threads.add("worker", clients, number -> {
            Latency claim = meter.latency("claim");
            int[] finished = {0};
            return () -> {
                claim.begin();
                Locking.inTransaction(pool, connection -> {
                    List<Integer> ids = locking.claim(connection, JobTable.READY, "id", AT_A_TIME);
                    claim.end();
                    // No violation: all jobs of a slow claim's snapshot may be finished before it gets to them.
                    empty.add(ids.isEmpty() ? 1 : 0, 1);
                    queue.claimed(ids);
                    JobTable.finish(connection, ids);
                    finished[0] = ids.size();
                });
                return finished[0];
            };
        });
    }

    @Override
    void ends(boolean measured, double perSecond) {
        meter.gauge("duplicates", (double) queue.duplicates(), "");
    }
}
