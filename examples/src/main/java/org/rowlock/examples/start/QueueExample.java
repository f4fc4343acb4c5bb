package org.rowlock.examples.start;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.rowlock.RowLocks;
import org.rowlock.examples.JobQueue;
import org.rowlock.testing.Threads;

/** Workers empty a job queue together, and no job is done twice. */
final class QueueExample implements Example {
    private static final int JOBS = 1_000;

    @Override
    public String title() {
        return THREADS + " workers take " + JOBS + " jobs from one queue, up to ten at a time";
    }

    @Override
    public List<String> tables() {
        return List.of(
                "create table job (id bigint primary key, state text not null)",
                "insert into job select id, 'ready' from generate_series(1, " + JOBS + ") as id");
    }

    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        JobQueue queue = new JobQueue(RowLocks.of(dataSource));
        List<List<Long>> done = Threads.query(THREADS, worker -> work(queue));
        List<String> lines = new ArrayList<>();
        Set<Long> distinct = new HashSet<>();
        int total = 0;
        for (int worker = 0; worker < done.size(); worker++) {
            List<Long> jobs = done.get(worker);
            lines.add("Worker " + (worker + 1) + " did " + jobs.size() + " jobs.");
            distinct.addAll(jobs);
            total += jobs.size();
        }
        if (total != JOBS || distinct.size() != JOBS) {
            throw new IllegalStateException(JOBS + " jobs were to be done, and " + total + " were done, of which "
                    + distinct.size() + " are distinct: one was lost or done twice");
        }
        lines.add("All " + JOBS + " jobs are done, each exactly once.");
        return lines;
    }

    private static List<Long> work(JobQueue queue) throws SQLException {
        List<Long> done = new ArrayList<>();
        List<Long> batch;
        do {
            batch = queue.workAndCommit();
            done.addAll(batch);
        } while (!batch.isEmpty());
        return done;
    }
}
