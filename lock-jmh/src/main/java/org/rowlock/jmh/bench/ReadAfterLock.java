package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;

/** Lock a row, read it, commit: what the lock costs a session that has nobody to wait for. */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE, Strategy.HAND_WRITTEN, Strategy.SELECT})
public class ReadAfterLock extends LockWorkload {
    static final Scenario SCENARIO = new Scenario(
                    "read-after-lock",
                    ReadAfterLock.class,
                    List.of(Point.clients(1)),
                    List.of(
                            Variant.of("FOR_UPDATE"),
                            Variant.of("NAIVE"),
                            Variant.of("ROW"),
                            Variant.of("BOTH"),
                            Variant.of("ADVISORY"),
                            Variant.of("ADVISORY").admitted(),
                            Variant.of("HAND_WRITTEN"),
                            Variant.of("SELECT").control("SELECT, no lock")),
                    List.of(
                            Metric.throughput("transactions"),
                            Metric.lower("time", "time of a transaction", "us"),
                            Metric.lower("roundTrips", "round trips", ""),
                            Metric.lower("allocated", "allocation in the client", "B"),
                            Metric.wal(),
                            Metric.xids(),
                            Metric.multixacts()))
            .timed(Timing.EXACT);

    private static final int ROWS = 1_000;

    @Param("1")
    public int clients;

    private Locking locking;

    @Override
    void prepare() throws SQLException {
        atEnd(Accounts.create(server, ROWS)::check);
        if (strategy != Strategy.SELECT) {
            Locking.Work lock = connection -> locking.lockAndRead(connection, 1, "balance");
            atEnd(() -> Contest.keepsOut(server, lock, lock));
        }
        locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        Session.warmUp(server, this::transact);
        threads.add("client", clients, number -> {
            Session session = new Session(server, meter);
            return () -> {
                session.run(this::transact);
                return 1;
            };
        });
    }

    private void transact(Connection connection) throws SQLException {
        int aid = ThreadLocalRandom.current().nextInt(ROWS) + 1;
        if (admission) {
            locking.admitted(List.of(locking.key(aid)), RowLockMode.FOR_UPDATE, () -> read(connection, aid));
        } else {
            read(connection, aid);
        }
    }

    private void read(Connection connection, int aid) throws SQLException {
        long balance = locking.lockAndRead(connection, aid, "balance");
        if (balance != 0) {
            throw new InvariantViolation("account " + aid + " read as " + balance + ", which nobody has written");
        }
        connection.commit();
    }
}
