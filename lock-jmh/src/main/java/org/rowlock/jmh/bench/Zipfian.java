package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.List;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;

/**
 * The workload of the published measurements that scenarios.md quotes. Each transaction picks a row by zipf(1..100, s =
 * 1.1), locks the row, updates it three times, and commits.
 */
public class Zipfian extends LockWorkload {
    @Param("90")
    public int clients;

    @Param("100")
    public int rows;

    @Param("1.1")
    public double zipf;

    String storage() {
        return Accounts.ROOMY;
    }

    void committed() {}

    @Override
    void prepare() throws SQLException {
        Exclusion exclusion = new Exclusion(rows + 1);
        atEnd(exclusion::check);
        atEnd(Accounts.create(server, rows, storage())::check);
        Locking locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        atEnd(() -> checkExcludes(locking, List.of(1), RowLockMode.FOR_UPDATE));
        threads.add("client", clients, number -> {
            Latency lock = meter.latency("lock");
            DiscreteSampler keys = Zipf.zipf(rows, zipf);
            return () -> {
                int aid = keys.sample();
                lock.begin();
                locking.transaction(aid, connection -> {
                    lock.end();
                    exclusion.inside(aid, () -> Accounts.updateThrice(connection, aid));
                });
                committed();
                return 1;
            };
        });
    }
}
