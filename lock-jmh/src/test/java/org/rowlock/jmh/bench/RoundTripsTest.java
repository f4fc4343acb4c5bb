package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.TestDatabase;

/** The same transaction in so many round trips as it says. */
class RoundTripsTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table accounts (aid int primary key, balance bigint not null)",
            "insert into accounts values (1, 0)");

    @ParameterizedTest
    @CsvSource({
        "ROW, 5",
        "ROW, 3",
        "ROW, 2",
        "ROW, 1",
        "BOTH, 5",
        "BOTH, 3",
        "BOTH, 2",
        "BOTH, 1",
        "ADVISORY, 5",
        "ADVISORY, 3",
        "ADVISORY, 2",
        "ADVISORY, 1"
    })
    void areCounted(Strategy strategy, int flushes) throws Exception {
        RoundTrips workload = new RoundTrips();
        workload.strategy = strategy;
        workload.flushes = flushes;
        PGSimpleDataSource dataSource = database.dataSource();
        dataSource.setSocketFactory(RoundTripCounter.class.getName());
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            workload.run(connection, 1);
            int before = RoundTripCounter.counted();
            workload.run(connection, 1);
            assertThat(RoundTripCounter.counted() - before).isEqualTo(flushes);
            // From 0 to 1, 2 and back, and committed: another session sees it.
            assertThat(database.query("select balance from accounts")).isEqualTo("0");
            assertThat(database.query("select count(*) from pg_stat_activity where state like 'idle in transaction%'"))
                    .isEqualTo("0");
        }
    }
}
