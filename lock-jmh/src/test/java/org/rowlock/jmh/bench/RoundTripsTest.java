package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLocks;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.TestDatabase;

/** Checks that each form of the transaction takes as many round trips as its parameters say. */
class RoundTripsTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table accounts (aid int primary key, balance bigint not null)",
            "insert into accounts values (1, 0)");

    @ParameterizedTest
    @CsvSource({
        "ROW, 2, true",
        "ROW, 1, true",
        "BOTH, 2, true",
        "BOTH, 1, true",
        "ADVISORY, 2, true",
        "ADVISORY, 1, true",
        "ROW, 5, false",
        "ROW, 3, false",
        "ROW, 2, false",
        "ROW, 1, false",
        "BOTH, 5, false",
        "BOTH, 3, false",
        "BOTH, 2, false",
        "BOTH, 1, false",
        "ADVISORY, 5, false",
        "ADVISORY, 3, false",
        "ADVISORY, 2, false",
        "ADVISORY, 1, false"
    })
    void areCounted(Strategy strategy, int flushes, boolean admission) throws Exception {
        RoundTrips workload = new RoundTrips();
        workload.strategy = strategy;
        workload.flushes = flushes;
        workload.admission = admission;
        PGSimpleDataSource dataSource = database.dataSource();
        dataSource.setSocketFactory(RoundTripCounter.class.getName());
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            DataSource pool = OneConnection.of(connection);
            RowLocks locks = workload.locks(pool);
            // The first run is not counted, because the library may look up the primary key.
            workload.run(locks, pool, 1);
            int before = RoundTripCounter.counted();
            workload.run(locks, pool, 1);
            assertThat(RoundTripCounter.counted() - before).isEqualTo(flushes);
            boolean looks = admission && strategy != Strategy.ADVISORY;
            assertThatThrownBy(() -> workload.run(locks, pool, 2))
                    .isInstanceOf(looks ? RowAbsentException.class : InvariantViolation.class)
                    .hasMessageContaining(looks ? "there is no row" : "was 0 times");
            // The balance went from 0 to 1, to 2 and back to 0. Another session sees the committed balance.
            assertThat(database.query("select balance from accounts")).isEqualTo("0");
            assertThat(database.query("select count(*) from pg_stat_activity where state like 'idle in transaction%'"))
                    .isEqualTo("0");
        }
    }
}
