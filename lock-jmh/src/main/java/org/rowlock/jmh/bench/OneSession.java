package org.rowlock.jmh.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Param;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockNotAvailableException;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.testing.RoundTripCounter;

/**
 * Locks a row, reads the row, and commits. The result is the cost of the lock for a session that never waits, including
 * the derivation of the key.
 */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE, Strategy.SAME, Strategy.SELECT})
public class OneSession extends LockWorkload {
    private static final int ROWS = 1_000;
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final int WARM_UPS = 20_000;
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Param("1")
    public int clients;

    /** The wrapper of the connection: "plain" for no wrapper, or a mode of lock-jdbc. */
    @Param(DropInPool.PLAIN)
    public String wrapper = DropInPool.PLAIN;

    private Locking locking;

    @Override
    void prepare() throws SQLException {
        Accounts.create(server, ROWS);
        if (strategy != Strategy.SELECT) {
            atEnd(this::checkExcludes);
        }
        PGSimpleDataSource counted = server.dataSource();
        // If the server's URL names a socket factory, round trips cannot be counted.
        boolean isCounted = counted.getSocketFactory() == null;
        if (isCounted) {
            counted.setSocketFactory(RoundTripCounter.class.getName());
        }
        locking = locking(counted, Accounts.TABLE, Accounts.ID);
        if (warmsUp()) {
            warmUp();
        }
        DataSource wrapped =
                wrapper.equals(DropInPool.PLAIN) ? counted : server.closeWith(DropInPool.of(counted, wrapper, 1));
        for (int i = 0; i < clients; i++) {
            Connection connection = server.closeWith(wrapped.getConnection());
            connection.setAutoCommit(false);
            // The first transaction is not measured, because it reads the table's id columns from the catalog.
            transact(connection);
            threads.add("client", 1, number -> client(connection, isCounted));
        }
    }

    /**
     * Runs transactions until their code is compiled, on a connection without added network delay or waits for the
     * disk. On the measured connection, transactions are so slow that compilation would outlast the measurement. The
     * result would then include compilation, most of all for variants with more code.
     */
    private void warmUp() throws SQLException {
        long begun = System.nanoTime();
        try (Connection direct = server.connectDirectly()) {
            Jdbc.execute(direct, "set synchronous_commit = off");
            direct.setAutoCommit(false);
            for (int i = 0; i < WARM_UPS && System.nanoTime() - begun < WARM_UP_NANOS; i++) {
                transact(direct);
            }
        }
    }

    private Clients.Operation client(Connection connection, boolean isCounted) {
        Meter.Average cpu = meter.average("cpu");
        Meter.Average allocated = meter.average("allocated");
        Meter.Average roundTrips = meter.average("roundTrips");
        return () -> {
            int trips = RoundTripCounter.counted();
            long bytes = THREADS.getCurrentThreadAllocatedBytes();
            long busy = THREADS.getCurrentThreadCpuTime();
            transact(connection);
            cpu.add(THREADS.getCurrentThreadCpuTime() - busy, TimeUnit.MICROSECONDS.toNanos(1));
            allocated.add(THREADS.getCurrentThreadAllocatedBytes() - bytes, 1);
            roundTrips.add(RoundTripCounter.counted() - trips, isCounted ? 1 : 0);
            return 1;
        };
    }

    private void transact(Connection connection) throws SQLException {
        int own = ThreadLocalRandom.current().nextInt(1, ROWS + 1);
        if (admission) {
            locking.admitted(List.of(locking.key(own)), RowLockMode.FOR_UPDATE, () -> lock(connection, own));
        } else {
            lock(connection, own);
        }
        connection.commit();
    }

    private void lock(Connection connection, int own) throws SQLException {
        if (locking.lockAndRead(connection, own) != 0) {
            throw new InvariantViolation("row " + own + " has a balance that no session has written");
        }
    }

    /**
     * Checks that the lock excludes other transactions from its own row only. A single session would notice neither
     * fault.
     */
    private void checkExcludes() throws SQLException {
        if (!isHeldUp("100ms", 1)) {
            throw new InvariantViolation("a second transaction got in while the first held the lock");
        }
        if (isHeldUp("10s", 2)) {
            throw new InvariantViolation("a transaction waited for the lock of another key");
        }
    }

    /** Whether a transaction that locks this row waits for a transaction that holds row 1. */
    private boolean isHeldUp(String timeout, int row) throws SQLException {
        try (Connection holder = server.begin();
                Connection other = server.begin()) {
            lock(holder, 1);
            Jdbc.execute(other, "set local lock_timeout = '" + timeout + "'");
            lock(other, row);
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
