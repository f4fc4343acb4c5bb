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
import org.rowlock.jmh.server.Sql;

/** Lock a row, read it, commit: what the lock costs a session that has nobody to wait for. */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE, Strategy.HAND_WRITTEN, Strategy.SELECT, Strategy.ONE_STATEMENT})
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
    private static final long CHANGED = 7;

    @Param("1")
    public int clients;

    private Locking locking;

    @Override
    void prepare() throws SQLException {
        atEnd(Accounts.create(server, ROWS)::check);
        if (strategy != Strategy.SELECT) {
            atEnd(this::checkFresh);
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

    /** A second session must wait for the first, and read what that one has written meanwhile. */
    private void checkFresh() throws SQLException {
        int aid = 1;
        long read = Contest.awaitSecond(
                server,
                connection -> {
                    locking.lockAndRead(connection, aid, "balance");
                    Sql.updateOne(
                            connection, "update " + Accounts.TABLE + " set balance = ? where aid = ?", CHANGED, aid);
                    return null;
                },
                connection -> locking.lockAndRead(connection, aid, "balance"));
        if (read != CHANGED) {
            throw new InvariantViolation("behind the lock the balance was " + read
                    + ", a stale read: the previous holder had committed " + CHANGED);
        }
    }
}
