package org.rowlock.jmh.bench;

import java.sql.SQLException;
import org.openjdk.jmh.annotations.Param;

/** The published workload: pick a row by zipf(1..100, s = 1.1), begin, lock it, update it three times, commit. */
public class Zipfian extends HotRowWorkload {
    private static final int UNIFORM_ROWS = 100_000;

    /** Which rows are picked. */
    public enum Keys {
        ZIPF,
        /** Of so many that two clients seldom want the same. */
        UNIFORM
    }

    @Param("ZIPF")
    public Keys keys = Keys.ZIPF;

    @Param("90")
    public int clients;

    @Override
    void prepare() throws SQLException {
        boolean uniform = keys == Keys.UNIFORM;
        create(uniform ? UNIFORM_ROWS : ROWS, "fillfactor = 50");
        Locking locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        threads.add(
                "client",
                clients,
                number -> client(locking, uniform ? Zipf.uniform(UNIFORM_ROWS) : Zipf.zipf(ROWS, zipf)));
    }
}
