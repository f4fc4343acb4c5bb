package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.LockRelease;
import org.rowlock.RowLocks;

/**
 * Lock, three updates and commit, with a commit that holds the locks until the disk and the standby have it, and with
 * one that lets go of them before and is confirmed in the same flush.
 */
@ByHand(Strategy.FOR_UPDATE)
public class EarlyReleaseWorkload extends LockWorkload {
    /** The COMMIT lets go of the locks, and the message behind it is a transaction whose commit waits for both. */
    private static final String EARLY =
            "set local synchronous_commit = off; commit; select pg_logical_emit_message(true, 'rowlock', '')";

    /** By what the transaction is done. */
    public enum Way {
        BY_HAND,
        DROP_IN,
        AT_COMMIT,
        EXECUTE
    }

    @Param("90")
    public int clients;

    @Param("BY_HAND")
    public Way way = Way.BY_HAND;

    /** Whether the commit lets go of the locks before it waits. */
    @Param("false")
    public boolean early;

    /** How many rows there are; 1 for one hot row. */
    @Param("100")
    public int rows = 100;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf = 1.1;

    private @Nullable HolderWaits holders;

    @Override
    void prepare() throws SQLException {
        if ((way == Way.BY_HAND || way == Way.DROP_IN) == strategy.isRowlock()) {
            throw new IllegalArgumentException(
                    "way=" + way + " has no strategy " + strategy + "; give -p way=BY_HAND or DROP_IN with"
                            + " -p strategy=FOR_UPDATE, and AT_COMMIT or EXECUTE with ROW, BOTH or ADVISORY.");
        }
        atEnd(Accounts.create(server, rows)::check);
        DataSource pool = dataSource(server.pool(clients));
        RowLocks locks = RowLocks.builder()
                .strategy(strategy.lockStrategy())
                .release(release())
                .build();
        addClients(clients, rows, zipf, aid -> run(locks, pool, aid));
    }

    private DataSource dataSource(HikariDataSource pool) {
        return way == Way.DROP_IN ? server.closeWith(DropInWorkload.wrap(pool, "queue", release())) : pool;
    }

    private LockRelease release() {
        return early ? LockRelease.EARLY : LockRelease.PLAIN;
    }

    /** Lock, updates and commit. */
    void run(RowLocks locks, DataSource pool, int aid) throws SQLException {
        switch (way) {
            case BY_HAND, DROP_IN -> {
                try (Connection connection = pool.getConnection()) {
                    Accounts.lock(connection, aid);
                    Accounts.updateThrice(connection, aid);
                    commit(connection);
                }
            }
            case AT_COMMIT -> RoundTrips.inTwo(locks, pool, aid, false);
            case EXECUTE -> RoundTrips.inOne(locks, pool, aid, false);
        }
    }

    private void commit(Connection connection) throws SQLException {
        if (!early || way != Way.BY_HAND) {
            connection.commit();
            return;
        }
        try (PreparedStatement commit = connection.prepareStatement(EARLY)) {
            commit.execute();
        }
    }

    @Override
    void begins(boolean measured) throws SQLException {
        holders = HolderWaits.watch(server);
    }

    @Override
    void ends(boolean measured, double perSecond) throws SQLException {
        HolderWaits watched = holders;
        if (watched != null) {
            watched.end(meter);
        }
    }
}
