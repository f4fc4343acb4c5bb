package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;

/** Lock a row, read it, commit: what the lock costs a session that has nobody to wait for. */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE, Strategy.HAND_WRITTEN, Strategy.SELECT})
public class ReadAfterLock extends LockWorkload {
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
