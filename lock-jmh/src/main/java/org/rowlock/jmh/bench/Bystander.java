package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.Jdbc;

/**
 * Measures how row locks affect plain updates of the same hot rows. Bystanders update a row three times in a
 * transaction, without a lock and without pauses. Lockers lock a row, read the row and commit, at a fixed rate that is
 * the same for every variant. The latency of a lock counts from the scheduled start of its transaction.
 */
public class Bystander extends LockWorkload {
    private static final int ROWS = 100;

    @Param("40")
    public int clients;

    @Param("10")
    public int lockers;

    @Param("100")
    public double rate;

    @Param("1.1")
    public double zipf;

    private final Exclusion exclusion = new Exclusion(ROWS + 1);
    private final Latency untaken = meter.latency("lock");
    private long begun = System.nanoTime();
    private long taken;

    @Override
    void prepare() throws SQLException {
        if (!(rate > 0)) {
            throw new IllegalArgumentException(
                    "A rate of " + rate + " per second cannot be kept; give more than 0, such as -p rate=100.");
        }
        atEnd(exclusion::check);
        atEnd(Accounts.create(server, ROWS)::check);
        HikariDataSource pool = server.pool(clients + lockers);
        Locking locking = locking(pool, Accounts.TABLE, Accounts.ID);
        threads.add("bystander", clients, number -> bystander(pool));
        threads.addBeside("lockers", lockers, number -> locker(locking));
    }

    private Clients.Operation bystander(HikariDataSource pool) {
        Latency transaction = meter.latency("bystander");
        DiscreteSampler keys = Zipf.zipf(ROWS, zipf);
        return () -> {
            int aid = keys.sample();
            transaction.begin();
            Jdbc.inTransaction(pool, connection -> Accounts.updateThrice(connection, aid));
            transaction.end();
            return 1;
        };
    }

    /**
     * Creates a locker, which takes the next scheduled start when it is free. If the lockers are late, they do not
     * pause. At the end of a window, delayed transactions are dropped.
     */
    private Clients.Operation locker(Locking locking) {
        Latency lock = meter.latency("lock");
        DiscreteSampler keys = Zipf.zipf(ROWS, zipf);
        return () -> {
            long due = take();
            Clients.pauseUntil(due);
            int aid = keys.sample();
            locking.transaction(
                    aid,
                    connection -> exclusion.inside(aid, () -> {
                        lock.record(System.nanoTime() - due);
                        Accounts.read(connection, aid);
                    }));
            return 1;
        };
    }

    private synchronized long take() {
        return due(taken++);
    }

    private long due(long number) {
        return begun + (long) (number * 1e9 / rate);
    }

    @Override
    synchronized void begins(boolean measured) {
        begun = System.nanoTime();
        taken = 0;
    }

    /** Records how long each dropped transaction has waited for a free locker. */
    @Override
    synchronized void ends(boolean measured, Published results) {
        long end = System.nanoTime();
        for (long number = taken; lockers > 0 && end - due(number) > 0; number++) {
            untaken.record(end - due(number));
        }
    }
}
