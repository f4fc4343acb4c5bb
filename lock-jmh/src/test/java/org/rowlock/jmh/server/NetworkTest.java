package org.rowlock.jmh.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.UserError;

/** Checks that a round trip takes the requested time, and that closing the network ends the proxy. */
class NetworkTest {
    private final TestPostgres server = TestPostgres.shared();
    private final ServerAddress address = new ServerAddress(server.url(), server.user(), server.password());

    /** Only the lower bound holds on every machine, because a machine may add any delay. */
    @Test
    void delaysEachRoundTrip() throws Exception {
        Network network = Network.open(address, 5);
        PGSimpleDataSource dataSource = address.dataSource("test");
        network.lead(dataSource);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            assertThat(network.roundTripMillis()).isGreaterThan(4.5);
            for (int i = 0; i < 10; i++) {
                long begun = System.nanoTime();
                try (ResultSet row = statement.executeQuery("select repeat('x', 100000)")) {
                    row.next();
                    assertThat(row.getString(1)).hasSize(100_000);
                }
                assertThat(System.nanoTime() - begun).isGreaterThan(4_500_000);
            }
        } finally {
            network.close();
        }
        TestDatabase.await()
                .untilAsserted(() -> assertThatThrownBy(
                                () -> dataSource.getConnection().close())
                        .hasMessageContaining("refused"));
    }

    @Test
    void withoutADelayTheRoundTripIsMeasuredAllTheSame() throws Exception {
        try (Network network = Network.open(address, 0)) {
            assertThat(network.roundTripMillis()).isPositive();
            PGSimpleDataSource dataSource = address.dataSource("test");
            int[] ports = dataSource.getPortNumbers();
            network.lead(dataSource);
            assertThat(dataSource.getPortNumbers()).isEqualTo(ports);
        }
    }

    @Test
    void aTimeThatIsNoneIsRefused() {
        assertThatThrownBy(() -> Network.open(address, -1))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("-1");
    }
}
