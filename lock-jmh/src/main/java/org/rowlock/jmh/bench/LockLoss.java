package org.rowlock.jmh.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.stream.IntStream;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.ServerCrash;

/**
 * Kills the server while a transaction holds locks, and restarts the server. The result is the time from the kill until
 * the restarted server grants one of these locks. The benchmark needs an embedded server.
 */
@ByHand(Strategy.FOR_UPDATE)
public class LockLoss extends LockWorkload {
    /** The number of locks held when the server is killed, limited to half the capacity of the lock table. */
    @Param("10000")
    public int locks;

    @Param("20")
    public int clients;

    private int held;
    private double firstMillis;

    @Override
    void prepare() throws SQLException {
        ServerCrash crash = ServerCrash.of(server);
        held = (int) Math.min(locks, server.lockTableRoom() / 2);
        Accounts.create(server, held);
        Connection holder = server.closeWith(server.begin());
        Locking other = new Locking(strategy, false, server.dataSource(), Accounts.TABLE, Accounts.ID);
        other.lockAll(holder, IntStream.rangeClosed(1, held).boxed().toList(), RowLockMode.FOR_UPDATE);
        Accounts.raise(holder, 1);
        long killed = System.nanoTime();
        try {
            crash.run();
        } catch (IOException e) {
            throw new IllegalStateException(String.valueOf(e.getMessage()), e);
        }
        Locking locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        locking.transaction(1, connection -> {
            firstMillis = (System.nanoTime() - killed) / 1e6;
            if (Accounts.read(connection, 1) != 0) {
                throw new InvariantViolation("the killed transaction was not committed, and its update is stored");
            }
        });
        threads.add("client", clients, number -> client(locking));
    }

    /** Creates a client that locks one of the rows that were locked when the server was killed. */
    private Clients.Operation client(Locking locking) {
        DiscreteSampler keys = Zipf.zipf(held, 1.1);
        return () -> {
            int aid = keys.sample();
            locking.transaction(aid, connection -> Accounts.raise(connection, aid));
            return 1;
        };
    }

    @Override
    void ends(boolean measured, Published results) {
        results.put("firstGranted", firstMillis, "ms");
        results.put("locksHeld", (double) held, "");
    }
}
