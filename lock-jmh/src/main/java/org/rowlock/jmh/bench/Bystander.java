package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.server.Jdbc;

/**
 * Measures how lockers affect clients that do not lock (bystanders). All share a connection pool. Lockers lock a hot
 * row, read the row and commit, while bystanders update the same rows three times in a transaction. With {@link
 * #reading}, lockers also update the row, and bystanders read other rows.
 */
public class Bystander extends LockWorkload {
    /** The number of rows that only bystanders read. */
    private static final int OTHERS = 1_000;

    /** The pause between two reads of a bystander, so that the bystanders do not slow each other down. */
    private static final double PAUSE_MILLIS = 1;

    /** The number of bystanders. The rate of their transactions is the result. */
    @Param("40")
    public int clients;

    @Param("10")
    public int lockers;

    /** How many locks all lockers together request per second; 0 for as many as possible. */
    @Param("100")
    public double rate;

    @Param("100")
    public int rows;

    @Param("1.1")
    public double zipf;

    /** The number of connections; 0 for one per client. */
    @Param("0")
    public int poolSize;

    @Param("false")
    public boolean reading;

    /** Whether the lockers do nothing. */
    @Param("false")
    public boolean idle;

    private final LongAdder raised = new LongAdder();

    @Override
    void prepare() throws SQLException {
        Exclusion exclusion = new Exclusion(rows + 1);
        atEnd(exclusion::check);
        Accounts accounts = Accounts.create(server, rows + OTHERS);
        atEnd(reading ? () -> accounts.checkSum(raised.sum()) : accounts::check);
        HikariDataSource pool = server.pool(poolSize == 0 ? clients + lockers : poolSize);
        Locking locking = locking(pool, Accounts.TABLE, Accounts.ID);
        threads.add("bystander", clients, number -> bystander(pool));
        threads.addBeside("lockers", idle ? 0 : lockers, number -> locker(locking, exclusion, number));
    }

    private Clients.Operation bystander(HikariDataSource pool) {
        Latency transaction = meter.latency("bystander");
        DiscreteSampler keys = reading ? Zipf.zipf(OTHERS, 0) : Zipf.zipf(rows, zipf);
        return () -> {
            Clients.pause(reading ? PAUSE_MILLIS : 0);
            int aid = keys.sample();
            transaction.begin();
            if (reading) {
                try (Connection connection = pool.getConnection()) {
                    Accounts.read(connection, rows + aid);
                    connection.commit();
                }
            } else {
                Jdbc.inTransaction(pool, connection -> Accounts.updateThrice(connection, aid));
            }
            transaction.end();
            return 1;
        };
    }

    /**
     * Creates a locker. Its latency begins at the time when the lock was due. A locker that is late drops the locks
     * that it missed.
     */
    private Clients.Operation locker(Locking locking, Exclusion exclusion, int number) {
        Latency lock = meter.latency("lock");
        DiscreteSampler keys = Zipf.zipf(rows, zipf);
        long interval = rate > 0 ? (long) (1e9 * lockers / rate) : 0;
        long[] due = {System.nanoTime() + number * interval / lockers};
        return () -> {
            Clients.pauseUntil(due[0]);
            due[0] = Math.max(due[0], System.nanoTime() - interval);
            lock.begin(due[0]);
            int aid = keys.sample();
            locking.transaction(aid, connection -> {
                lock.end();
                exclusion.inside(aid, () -> {
                    if (reading) {
                        Accounts.raise(connection, aid);
                    } else {
                        Accounts.read(connection, aid);
                    }
                });
            });
            raised.add(reading ? 1 : 0);
            due[0] += interval;
            return 1;
        };
    }
}
