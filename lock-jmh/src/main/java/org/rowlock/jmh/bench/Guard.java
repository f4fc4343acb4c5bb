package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.bench.WatchedTable.Watch;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.Sql;

/** Lock rows or not, update them in one statement, commit: what the guard and the audit of the table cost the writer. */
// SELECT is a writer without a lock.
@ByHand(Strategy.SELECT)
public class Guard extends LockWorkload {
    static final Scenario SCENARIO = new Scenario(
                    "guard",
                    "What guard and audit of a table cost its writers",
                    "One session updates rows in one statement and commits, without a lock (plain) or behind Rowlock's."
                            + " GUARDED: each row's key is taken by a trigger, so that nobody who locks is overlooked."
                            + " AUDITED: each statement's rows are compared with the locks of its transaction; SAMPLED: one"
                            + " statement of a hundred. Nobody else is there, and commits do not wait for the disk. The"
                            + " schema rowlock is made for it and dropped, unless the database has one.",
                    "",
                    Guard.class,
                    List.of(
                            Point.of("1 row", 1, "rows", "1"),
                            Point.of("100 rows", 1, "rows", "100").locking(100)),
                    List.of(
                            variant("SELECT", Watch.NOTHING),
                            variant("SELECT", Watch.GUARDED),
                            variant("SELECT", Watch.SAMPLED),
                            variant("SELECT", Watch.AUDITED),
                            variant("ADVISORY", Watch.NOTHING),
                            variant("ADVISORY", Watch.GUARDED),
                            variant("BOTH", Watch.NOTHING),
                            variant("BOTH", Watch.SAMPLED),
                            variant("BOTH", Watch.AUDITED)),
                    List.of(
                            Metric.throughput("transactions"),
                            Metric.lower("time", "time of a transaction", "us"),
                            Metric.wal(),
                            Metric.xids()))
            .timed(Timing.EXACT);

    private static final int ROWS = 1_000;

    @Param("1")
    public int clients;

    /** By what the table is watched. */
    @Param("NOTHING")
    public Watch watch = Watch.NOTHING;

    /** How many rows a transaction updates. */
    @Param("1")
    public int rows;

    private static Variant variant(String strategy, Watch watch) {
        String plain = strategy.equals("SELECT") ? "plain" : strategy;
        Variant locking = new Variant(plain, Variant.of(strategy).params(), false);
        return watch == Watch.NOTHING ? locking : locking.with(" " + watch, "watch", watch.name());
    }

    @Override
    void prepare() throws SQLException {
        Accounts.create(server, ROWS);
        WatchedTable table = WatchedTable.watch(server, watch, Accounts.TABLE);
        atEnd(() -> table.check(strategy.isRowlock(), connection -> update(connection, 1)));
        Locking locking = locking(server.dataSource(), Accounts.TABLE, Accounts.ID);
        threads.add("writer", clients, number -> {
            Session session = new Session(server, meter);
            boolean[] hasBegun = {false};
            return () -> {
                int first = ThreadLocalRandom.current().nextInt(ROWS - rows + 1) + 1;
                session.run(connection -> {
                    if (!hasBegun[0]) {
                        hasBegun[0] = true;
                        asynchronous(connection);
                    }
                    if (strategy.isRowlock()) {
                        locking.lockAll(
                                connection,
                                IntStream.range(first, first + rows).boxed().toList(),
                                RowLockMode.FOR_UPDATE);
                    }
                    update(connection, first);
                    connection.commit();
                });
                return 1;
            };
        });
    }

    /** The wait of a commit for the disk would hide what is looked for. */
    private static void asynchronous(Connection connection) throws SQLException {
        Sql.execute(connection, "set synchronous_commit = off");
        connection.commit();
    }

    private void update(Connection connection, int first) throws SQLException {
        String sql = "update " + Accounts.TABLE + " set balance = balance where aid between ? and ?";
        if (Sql.update(connection, sql, first, first + rows - 1) != rows) {
            throw new InvariantViolation("not all of " + rows + " accounts were there to be updated");
        }
    }
}
