package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Sql;

/**
 * A table of jobs in the order of their ids, with a past: most are finished. Every job finished brings a new one, so
 * the queue never runs dry; a job is never made ready again, so a second run of it shows. Thread-safe.
 */
final class JobTable {
    static final String TABLE = "jobs";
    static final String READY = "state = 'ready'";

    /** So many that the plan is one of a queue in use: by the index on ready jobs alone. */
    private static final int PAST = 20_000;

    private static final String FINISH = "with done as (update " + TABLE
            + " set state = 'finished', runs = runs + 1 where id = any(cast(? as int4[])) returning 1)"
            + " insert into " + TABLE + " (state) select 'ready' from done";

    private final BenchmarkServer server;
    private final Set<Integer> claimed = ConcurrentHashMap.newKeySet();
    private final LongAdder duplicates = new LongAdder();

    private JobTable(BenchmarkServer server) {
        this.server = server;
    }

    static JobTable create(BenchmarkServer server, int ready) throws SQLException {
        server.execute(
                "create table " + TABLE + " (id int generated always as identity primary key,"
                        + " state text not null, runs int not null default 0)",
                "create index on " + TABLE + " (id) where " + READY,
                "insert into " + TABLE + " (state, runs) select 'finished', 1 from generate_series(1, " + PAST + ")",
                "insert into " + TABLE + " (state) select 'ready' from generate_series(1, " + ready + ")",
                "vacuum analyze " + TABLE);
        return new JobTable(server);
    }

    /** Puts down that jobs were claimed. */
    void claimed(List<Integer> ids) {
        for (Integer id : ids) {
            if (!claimed.add(id)) {
                duplicates.increment();
            }
        }
    }

    /** How many were claimed that had been claimed before. */
    long duplicates() {
        return duplicates.sum();
    }

    /**
     * Finishes jobs in the transaction that claimed them; asks nothing about their state, which would hide a second
     * run.
     */
    static void finish(Connection connection, List<Integer> ids) throws SQLException {
        if (Sql.update(connection, FINISH, (Object) Locking.array(ids)) != ids.size()) {
            throw new InvariantViolation("a job was claimed that is not there");
        }
    }

    /** Fails unless every job claimed was run once, and no other. */
    void check() throws SQLException {
        long[] found = server.numbers("select count(*) filter (where runs > 1), sum(runs) - " + PAST
                + ", count(*) filter (where (state = 'finished') <> (runs > 0)) from " + TABLE);
        if (found[0] != 0 || found[1] != claimed.size() || found[2] != 0) {
            throw new InvariantViolation("jobs that ran more than once: " + found[0] + "; " + claimed.size()
                    + " were claimed and there were " + found[1] + " runs; jobs in the wrong state: " + found[2]);
        }
    }
}
