package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.server.Jdbc;

/**
 * Measures how row locks affect plain updates of the same hot rows. Bystanders update a row three times in a
 * transaction, without a lock and without pauses. Lockers lock a row, read the row and commit, at a fixed rate that is
 * the same for every variant. The latency of a lock counts from the scheduled start of its transaction.
 */
@ByHand(Strategy.FOR_UPDATE)
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
    private volatile long begun = System.nanoTime();

    @Override
    void prepare() throws SQLException {
        atEnd(exclusion::check);
        atEnd(Accounts.create(server, ROWS)::check);
        HikariDataSource pool = server.pool(clients + lockers);
        Locking locking = locking(pool, Accounts.TABLE, Accounts.ID);
        threads.add("bystander", clients, number -> bystander(pool));
        threads.addBeside("lockers", lockers, number -> locker(locking, number));
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
     * Creates a locker whose transactions have scheduled starts. A locker that is late runs the delayed transactions
     * one after another, and skips none. Only the start of a window discards the delay.
     */
    private Clients.Operation locker(Locking locking, int number) {
        Latency lock = meter.latency("lock");
        DiscreteSampler keys = Zipf.zipf(ROWS, zipf);
        double nanosBetween = 1e9 / rate;
        long[] next = {begun};
        return () -> {
            long due = Math.max(next[0], begun + (long) (number * nanosBetween));
            next[0] = due + (long) (lockers * nanosBetween);
            Pause.until(due);
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

    @Override
    void begins(boolean measured) {
        begun = System.nanoTime();
    }
}
