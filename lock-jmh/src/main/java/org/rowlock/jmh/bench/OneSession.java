package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.LockNotAvailableException;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.server.Sql;

/**
 * Lock a row by an id of some form, read it or not, commit: what the lock costs a session that has nobody to wait for.
 * Making the key is part of it.
 */
@ByHand({
    Strategy.FOR_UPDATE,
    Strategy.NAIVE,
    Strategy.MD5,
    Strategy.HASHTEXT,
    Strategy.SAME,
    Strategy.HAND_WRITTEN,
    Strategy.SELECT
})
public class OneSession extends LockWorkload {
    private static final int ROWS = 1_000;
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    @Param("1")
    public int clients;

    /** The form of the id. */
    @Param("INT")
    public KeyForm id = KeyForm.INT;

    /** Whether the row is read; HAND_WRITTEN and SELECT are nothing else. */
    @Param("true")
    public boolean reading;

    private Object[] ids;
    private Locking locking;

    @Override
    void prepare() throws SQLException {
        ids = IntStream.rangeClosed(1, ROWS).mapToObj(id::id).toArray();
        id.create(server, ids);
        if (strategy != Strategy.SELECT) {
            atEnd(this::checkExcludes);
        }
        locking = locking(server.pool(clients), id.table(), id.columns().toArray(String[]::new));
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
        Object own = ids[ThreadLocalRandom.current().nextInt(ROWS)];
        if (admission) {
            locking.admitted(List.of(locking.key(own)), RowLockMode.FOR_UPDATE, () -> lock(connection, own));
        } else {
            lock(connection, own);
        }
        connection.commit();
    }

    private void lock(Connection connection, Object own) throws SQLException {
        if (!reading) {
            locking.lock(connection, own);
        } else if (locking.lockAndRead(connection, own, KeyForm.NUMBER) != 0) {
            throw new InvariantViolation("row " + own + " has a number that nobody has written");
        }
    }

    /** A benchmark of one session cannot notice that its lock does nothing, or is one for all rows. */
    private void checkExcludes() throws SQLException {
        if (!isHeldUp("100ms", 0)) {
            throw new InvariantViolation("a second transaction got in while the first held the lock");
        }
        if (isHeldUp("10s", 1)) {
            throw new InvariantViolation("a transaction waited for the lock of another key");
        }
    }

    /** Whether a transaction that locks this row has to wait for one that holds the first. */
    private boolean isHeldUp(String timeout, int row) throws SQLException {
        try (Connection holder = server.begin();
                Connection other = server.begin()) {
            lock(holder, ids[0]);
            Sql.execute(other, "set local lock_timeout = '" + timeout + "'");
            lock(other, ids[row]);
            return false;
        } catch (LockNotAvailableException e) {
            return true;
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return true;
            }
            throw e;
        }
    }
}
