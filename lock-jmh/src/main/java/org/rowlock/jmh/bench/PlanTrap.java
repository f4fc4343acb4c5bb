package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Variant;

/** Take ten rows and commit, where the plan decides how many rows a hand-written query locks. */
public class PlanTrap extends LockWorkload {
    static final Scenario SCENARIO = new Scenario(
            "plan-trap",
            "A lock function in a WHERE clause locks rows that nobody gets",
            "Four clients take ten of the 200 rows of 2,000 that meet a condition, and commit. NAIVE has the try-lock function in"
                    + " its WHERE clause. Beside another condition (filter) the planner may evaluate it first, and lock rows"
                    + " that do not meet the condition; under ORDER BY and LIMIT (order) it locks all rows that are sorted."
                    + " One row locked for each row returned is right. FOR_UPDATE is FOR UPDATE SKIP LOCKED by hand; ROW,"
                    + " BOTH and ADVISORY are Rowlock's claim.",
            "",
            PlanTrap.class,
            List.of(
                    Point.of("beside a filter", 4, "trap", "FILTER"),
                    Point.of("under ORDER BY .. LIMIT", 4, "trap", "ORDER")),
            Variant.of("NAIVE", "FOR_UPDATE", "ROW", "BOTH", "ADVISORY"),
            List.of(
                    Metric.lower("lockedPerReturned", "rows locked per row returned", ""),
                    Metric.higher("returned", "rows returned of ten", ""),
                    Metric.throughput("transactions")));

    private static final int WANTED = 10;

    /** One transaction in so many counts its locks, and the first of each client. */
    private static final int SAMPLED = 20;

    @Param("4")
    public int clients;

    /** Where the lock function stands. */
    @Param("FILTER")
    public TrapTable.Trap trap = TrapTable.Trap.FILTER;

    private final Exclusion exclusion = new Exclusion(TrapTable.ROWS + 1);

    @Override
    Set<Strategy> byHand() {
        return Set.of(Strategy.FOR_UPDATE, Strategy.NAIVE);
    }

    @Override
    void prepare() throws SQLException {
        TrapTable.create(server);
        HikariDataSource pool = server.pool(clients);
        Locking locking = locking(pool, TrapTable.TABLE, "id");
        threads.add("client", clients, number -> {
            long[] transactions = {0};
            return () -> {
                boolean sample = transactions[0]++ % SAMPLED == 0;
                Locking.inTransaction(pool, connection -> {
                    List<Integer> ids = locking.claim(connection, trap.predicate, trap.order, WANTED);
                    ids.forEach(exclusion::enter);
                    if (!ids.stream().allMatch(TrapTable::isWanted)) {
                        throw new InvariantViolation("of " + ids + " not all meet the condition");
                    }
                    meter.average("returned").add(ids.size(), 1);
                    if (sample) {
                        count(TrapTable.locked(connection), ids.size());
                    }
                    ids.forEach(exclusion::leave);
                });
                return 1;
            };
        });
    }

    private void count(int locked, int rows) {
        if (locked < rows) {
            throw new InvariantViolation(rows + " rows were returned, and only " + locked + " of them are locked");
        }
        meter.average("lockedPerReturned").add(locked, rows);
    }

    @Override
    void check() {
        exclusion.check();
    }
}
