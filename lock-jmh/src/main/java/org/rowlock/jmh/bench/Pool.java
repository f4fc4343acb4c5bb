package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;

/**
 * Measures how one hot row affects the rest of a service. Many threads lock the hot row, update the row and commit. A
 * few other threads read unrelated rows. All threads share a small connection pool.
 */
public class Pool extends LockWorkload {
    private static final int HOT = 1;
    private static final int ROWS = 1_001;

    /** The pause between two reads of a thread, so that the readers do not slow each other down. */
    private static final double PAUSE_MILLIS = 1;

    @Param("300")
    public int clients;

    /** The number of threads that read other rows. The rate of their reads is the result. */
    @Param("4")
    public int others;

    @Param("16")
    public int poolSize;

    @Param("false")
    public boolean idle;

    private final LongAdder raised = new LongAdder();
    private final Exclusion exclusion = new Exclusion(1);

    @Override
    void prepare() throws SQLException {
        atEnd(exclusion::check);
        Accounts accounts = Accounts.create(server, ROWS);
        atEnd(() -> accounts.checkSum(raised.sum()));
        HikariDataSource pool = server.pool(poolSize);
        Locking locking = locking(pool, Accounts.TABLE, Accounts.ID);
        threads.addBeside("hot", idle ? 0 : clients, number -> hot(locking));
        threads.add("others", others, number -> other(pool));
    }

    private Clients.Operation hot(Locking locking) {
        Latency lock = meter.latency("lock");
        return () -> {
            lock.begin();
            locking.transaction(HOT, connection -> {
                lock.end();
                exclusion.inside(0, () -> Accounts.raise(connection, HOT));
            });
            raised.increment();
            return 1;
        };
    }

    private Clients.Operation other(HikariDataSource pool) {
        Latency read = meter.latency("others");
        DiscreteSampler rows = Zipf.zipf(ROWS - HOT, 0);
        return () -> {
            Clients.pause(PAUSE_MILLIS);
            read.begin();
            try (Connection connection = pool.getConnection()) {
                Accounts.read(connection, HOT + rows.sample());
                connection.commit();
            }
            read.end();
            return 1;
        };
    }
}
