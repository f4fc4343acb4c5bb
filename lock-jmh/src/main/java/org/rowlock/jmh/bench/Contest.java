package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import org.rowlock.LockNotAvailableException;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Sql;

/**
 * Two sessions that lock. A benchmark of one session cannot notice that its lock does nothing, so its end shows that.
 */
final class Contest {
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private Contest() {}

    /** Fails unless a second transaction has to wait for the first. */
    static void keepsOut(BenchmarkServer server, Locking.Work first, Locking.Work second) throws SQLException {
        if (isHeldUp(server, "100ms", first, second)) {
            return;
        }
        throw new InvariantViolation("a second transaction got in while the first held the lock");
    }

    /** Fails if a second transaction has to wait for the first. */
    static void letsIn(BenchmarkServer server, Locking.Work first, Locking.Work second) throws SQLException {
        if (isHeldUp(server, "10s", first, second)) {
            throw new InvariantViolation("a transaction waited for the lock of another key");
        }
    }

    private static boolean isHeldUp(BenchmarkServer server, String timeout, Locking.Work first, Locking.Work second)
            throws SQLException {
        try (Connection holder = server.begin();
                Connection other = server.begin()) {
            first.run(holder);
            Sql.execute(other, "set local lock_timeout = '" + timeout + "'");
            second.run(other);
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
