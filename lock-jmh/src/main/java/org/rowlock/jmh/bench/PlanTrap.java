package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.server.Jdbc;

/** Takes ten rows and commits. The plan decides how many rows the hand-written query locks. */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE})
public class PlanTrap extends LockWorkload {
    /** The name of the table, which is never updated. */
    private static final String TABLE = "trap";

    private static final int ROWS = 2_000;

    /** The number of rows of which one meets each condition. */
    private static final int ONE_IN = 10;

    /**
     * The query that counts locked rows. A row lock leaves its transaction in the row as xmax. No transaction updates
     * the table, so every xmax is a lock.
     */
    private static final String LOCKED = "select greatest("
            + "(select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'),"
            + " (select count(*) from " + TABLE + " where xmax = pg_current_xact_id_if_assigned()::xid))";

    public enum Trap {
        /**
         * The planner evaluates cheap conditions first, whatever their order in the text, and takes a lock function for
         * cheap.
         */
        FILTER("due + attempts * interval '1 minute' <= now()", ""),
        /**
         * Without an index in the right order, the server sorts all rows that meet the condition, and applies LIMIT
         * last.
         */
        ORDER("ready", "priority, id");

        final String predicate;
        final String order;

        Trap(String predicate, String order) {
            this.predicate = predicate;
            this.order = order;
        }
    }

    private static final int WANTED = 10;

    /** The interval at which transactions count their locks, beginning with the first one of each client. */
    private static final int SAMPLED = 20;

    @Param("4")
    public int clients;

    /** The position of the lock function in the query. */
    @Param("FILTER")
    public Trap trap = Trap.FILTER;

    @Override
    void prepare() throws SQLException {
        createTable();
        Exclusion exclusion = new Exclusion(ROWS + 1);
        atEnd(exclusion::check);
        HikariDataSource pool = server.pool(clients);
        Locking locking = locking(pool, TABLE, "id");
        threads.add("client", clients, number -> {
            long[] transactions = {0};
            return () -> {
                boolean sample = transactions[0]++ % SAMPLED == 0;
                Locking.inTransaction(pool, connection -> {
                    List<Integer> ids = locking.claim(connection, trap.predicate, trap.order, WANTED);
                    ids.forEach(exclusion::enter);
                    if (ids.stream().anyMatch(id -> id % ONE_IN != 0)) {
                        throw new InvariantViolation("of " + ids + " not all meet the condition");
                    }
                    meter.average("returned").add(ids.size(), 1);
                    if (sample) {
                        long locked = Jdbc.number(connection, LOCKED);
                        if (locked < ids.size()) {
                            throw new InvariantViolation(
                                    ids.size() + " rows were returned, and only " + locked + " of them are locked");
                        }
                        meter.average("lockedPerReturned").add(locked, ids.size());
                    }
                    ids.forEach(exclusion::leave);
                });
                return 1;
            };
        });
    }

    private void createTable() throws SQLException {
        server.execute(
                "create table " + TABLE + " (id int primary key, ready boolean not null,"
                        + " due timestamptz not null, attempts int not null, priority int not null)",
                "insert into " + TABLE
                        + " select i, i % " + ONE_IN + " = 0, now() + case when i % " + ONE_IN
                        + " = 0 then -1 else 1 end * interval '1 year', i % 3,"
                        + " i * 7919 % " + ROWS + " from generate_series(1, " + ROWS + ") i",
                "vacuum analyze " + TABLE);
    }
}
