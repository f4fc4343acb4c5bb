package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.server.Sql;

/** Take ten rows and commit, where the plan decides how many rows a hand-written query locks. */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE})
public class PlanTrap extends LockWorkload {
    /** Nothing is ever changed in it. */
    private static final String TABLE = "trap";

    private static final int ROWS = 2_000;

    /** One row in so many meets each of the conditions. */
    private static final int ONE_IN = 10;

    /** A row lock leaves the transaction in the row, as its xmax. Nobody updates here, so that is always a lock. */
    private static final String LOCKED = "select greatest("
            + "(select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'),"
            + " (select count(*) from " + TABLE + " where xmax = pg_current_xact_id_if_assigned()::xid))";

    public enum Trap {
        /**
         * The planner evaluates cheap conditions first, whatever the order they are written in, and a lock function
         * counts as cheap.
         */
        FILTER("due + attempts * interval '1 minute' <= now()", ""),
        /**
         * Without an index that gives the order, all rows that meet the condition are sorted first, and LIMIT is last.
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

    /** One transaction in so many counts its locks, and the first of each client. */
    private static final int SAMPLED = 20;

    @Param("4")
    public int clients;

    /** Where the lock function stands. */
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
                        long locked = Sql.number(connection, LOCKED);
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
