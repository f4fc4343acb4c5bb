package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rowlock.Claim;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.testing.TestDatabase;

/**
 * Shows that a lock function in a WHERE clause also locks rows that the query does not return. A claim locks only the
 * rows that it returns.
 */
class PlanTrapTest {
    private static final String LOCKS =
            "select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table trap (id int primary key, due timestamptz not null, attempts int not null)",
            "insert into trap select i, now() + case when i % 10 = 0 then -1 else 1 end * interval '1 year', i * 7919 % 2000"
                    + " from generate_series(1, 2000) i",
            "vacuum analyze trap");

    /**
     * The planner evaluates cheap conditions first, and treats the lock function as cheap. LIMIT applies only after the
     * sort.
     */
    @ParameterizedTest
    @CsvSource({"due + attempts * interval '1 minute' <= now(), id", "id % 10 = 0, attempts"})
    void locksMoreThanItReturns(String condition, String order) throws Exception {
        String byHand = "select id from trap where " + condition
                + " and pg_try_advisory_xact_lock('trap'::regclass::oid::int4, id) order by " + order + " limit 10";
        Claim claim = Claim.from("trap").where(condition).orderBy(order).limit(10);
        RowLocks locks = LockAccess.builder().strategy(LockStrategy.ADVISORY).build();
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            List<Integer> some = Jdbc.list(connection, byHand, row -> row.getInt(1));
            assertThat(some).hasSize(10);
            assertThat(Jdbc.number(connection, LOCKS)).isGreaterThan(50);
            connection.rollback();
            List<Integer> claimed = locks.in(connection).claim(claim, row -> row.getInt("id"));
            assertThat(claimed).containsExactlyElementsOf(some);
            assertThat(Jdbc.number(connection, LOCKS)).isEqualTo(10);
            connection.rollback();
        }
    }
}
