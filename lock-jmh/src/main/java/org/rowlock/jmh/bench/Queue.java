package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.server.Jdbc;

/**
 * Runs workers that claim ten ready jobs at a time, finish the jobs, and commit. The result is the rate of jobs. Every
 * finished job adds a new job, so the queue never runs dry. A finished job never becomes ready again, so a check can
 * find repeated jobs.
 */
public class Queue extends LockWorkload {
    private static final String READY = "state = 'ready'";
    private static final int AT_A_TIME = 10;

    /** The number of finished jobs at the start, large enough to make the planner use the index on ready jobs. */
    private static final int PAST = 20_000;

    /** The number of ready jobs per worker, so large that workers hold only a small part of the ready jobs. */
    private static final int READY_PER_WORKER = 10 * AT_A_TIME;

    private static final int LEAST_READY = 2_000;

    /** The statement that finishes jobs. It has no condition on their state, which would hide a second run. */
    private static final String FINISH = "with done as (update jobs set state = 'finished', runs = runs + 1"
            + " where id = any(cast(? as int4[])) returning 1) insert into jobs (state) select 'ready' from done";

    @Param("64")
    public int clients;

    private final Set<Integer> claimed = ConcurrentHashMap.newKeySet();

    @Override
    void prepare() throws SQLException {
        server.execute(
                "create table jobs (id int generated always as identity primary key, state text not null,"
                        + " runs int not null default 0)",
                "create index on jobs (id) where " + READY,
                "insert into jobs (state, runs) select 'finished', 1 from generate_series(1, " + PAST + ")",
                "insert into jobs (state) select 'ready' from generate_series(1, "
                        + Math.max(LEAST_READY, clients * READY_PER_WORKER) + ")",
                "vacuum analyze jobs");
        atEnd(this::check);
        Locking locking = locking(server.pool(clients), "jobs", "id");
        Meter.Average empty = meter.average("emptyClaims");
        threads.add("worker", clients, number -> {
            Latency claim = meter.latency("claim");
            int[] finished = {0};
            return () -> {
                claim.begin();
                Jdbc.inTransaction(locking.pool(), connection -> {
                    List<Integer> ids = locking.claim(connection, READY, AT_A_TIME);
                    claim.end();
                    // An empty claim is no violation. If a claim is slow, other workers may finish all jobs of its
                    // snapshot first.
                    empty.add(ids.isEmpty() ? 1 : 0, 1);
                    finish(connection, ids);
                    finished[0] = ids.size();
                });
                return finished[0];
            };
        });
    }

    private void finish(Connection connection, List<Integer> ids) throws SQLException {
        claimed.addAll(ids);
        if (Jdbc.update(connection, FINISH, (Object) Locking.array(ids)) != ids.size()) {
            throw new InvariantViolation("a job was claimed that is not there");
        }
    }

    private void check() throws SQLException {
        long[] found = server.numbers("select count(*) filter (where runs > 1), sum(runs) - " + PAST
                + ", count(*) filter (where (state = 'finished') <> (runs > 0)) from jobs");
        if (found[0] != 0 || found[1] != claimed.size() || found[2] != 0) {
            throw new InvariantViolation("jobs that ran more than once: " + found[0] + "; " + claimed.size()
                    + " were claimed and there were " + found[1] + " runs; jobs in the wrong state: " + found[2]);
        }
    }
}
