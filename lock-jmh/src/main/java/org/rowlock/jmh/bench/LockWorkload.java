package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.rowlock.LockNotAvailableException;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.server.Jdbc;

@State(Scope.Benchmark)
public abstract class LockWorkload extends Workload {
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    @Param({"FOR_UPDATE", "ROW", "BOTH", "ADVISORY"})
    public Strategy strategy = Strategy.ROW;

    /** Whether threads queue in the JVM before they borrow a connection. */
    @Param("false")
    public boolean admission;

    /** The wrapper of the clients' pool: "plain" for no wrapper, or a mode of lock-jdbc. */
    @Param(DropInPool.PLAIN)
    public String wrapper = DropInPool.PLAIN;

    @Override
    public void open(BenchmarkParams params) throws SQLException {
        if (admission && !strategy.isRowlock()) {
            throw new IllegalArgumentException("There is no " + strategy + " with admission. Give one of ROW, BOTH and"
                    + " ADVISORY as -p strategy=..");
        }
        super.open(params);
    }

    Locking locking(DataSource pool, String table, String column) {
        DataSource wrapped =
                wrapper.equals(DropInPool.PLAIN) ? pool : server.closeWith(DropInPool.of(pool, wrapper, 1));
        return new Locking(strategy, admission, wrapped, table, column);
    }

    /** Checks that locks of these rows exclude another transaction, even if the clients never wait for each other. */
    void checkExcludes(Locking locking, List<Integer> ids, RowLockMode mode) throws SQLException {
        try (Connection holder = server.begin();
                Connection other = server.begin()) {
            locking.lockAll(holder, ids, mode);
            Jdbc.execute(other, "set local lock_timeout = '100ms'");
            locking.lock(other, ids.get(ids.size() - 1));
        } catch (LockNotAvailableException e) {
            return;
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return;
            }
            throw e;
        }
        throw new InvariantViolation("a second transaction got the lock while the first held it");
    }
}
