package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.testing.TestDatabase.execute;
import static org.rowlock.testing.TestDatabase.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/** The proxy of the tests does what it says, since a test that relies on it shows nothing otherwise. */
class TcpProxyTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase("create table item(id int primary key)");

    private TcpProxy proxy;

    @BeforeEach
    void start() throws Exception {
        proxy = database.closing(TcpProxy.to(database.dataSource()));
    }

    private Connection connect() throws Exception {
        return proxy.through(database.dataSource()).getConnection();
    }

    @Test
    void everythingArrives() throws Exception {
        Connection connection = database.closing(connect());
        assertThat(query(connection, "select repeat('x', 3000000)")).hasSize(3_000_000);
    }

    /**
     * A trip never takes less than asked for, and no more than 10 % longer than it takes without the delay besides,
     * where the machine lets it: one that has other things to do adds what it likes, so the shortest trip counts, and
     * there are as many tries as it takes. What is usual is reported: the median above, in per cent.
     */
    @ParameterizedTest
    @ValueSource(longs = {200, 500, 1_000, 2_000, 5_000})
    void delayIsThatOfARoundTripWithin10Percent(long micros) throws Exception {
        long nanos = micros * 1_000;
        Connection connection = database.closing(connect());
        List<Long> undelayed = trips(connection);
        Duration there = Duration.ofNanos(micros * 400);
        proxy.delay(there, Duration.ofNanos(nanos).minus(there));
        List<Long> trips = new ArrayList<>();
        TestDatabase.await().until(() -> {
            trips.addAll(trips(connection));
            return Collections.min(trips) - Collections.min(undelayed) <= nanos * 11 / 10;
        });
        assertThat(Collections.min(trips)).isGreaterThanOrEqualTo(nanos);
        double above = 100.0 * (median(trips) - median(undelayed) - nanos) / nanos;
        System.out.printf(Locale.ROOT, "A round trip of %d us takes %.1f %% longer than it should%n", micros, above);
    }

    private static List<Long> trips(Connection connection) throws SQLException {
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            long start = System.nanoTime();
            query(connection, "select 1");
            nanos.add(System.nanoTime() - start);
        }
        return nanos;
    }

    private static long median(List<Long> nanos) {
        return nanos.stream().sorted().skip(nanos.size() / 2).findFirst().orElseThrow();
    }

    @Test
    void whatIsCutBeforeIsNotDoneAndWhatIsCutAfterIs() throws Exception {
        Connection before = connect();
        proxy.cutBefore("values (1)");
        assertThatThrownBy(() -> execute(before, "insert into item values (1)")).isInstanceOf(SQLException.class);
        Connection after = connect();
        proxy.cutAfter("values (2)");
        assertThatThrownBy(() -> execute(after, "insert into item values (2)")).isInstanceOf(SQLException.class);
        assertThat(database.query("select string_agg(id::text, ',') from item")).isEqualTo("2");
        assertThat(proxy.cuts()).isEqualTo(2);
    }

    /** A prepared statement is executed by its name. */
    @Test
    void preparedStatementIsKnownByItsSql() throws Exception {
        Connection connection = connect();
        try (var statement = connection.prepareStatement("insert into item values (?)")) {
            for (int i = 1; i <= 10; i++) {
                statement.setInt(1, i);
                statement.executeUpdate();
            }
            proxy.cutBefore("insert into item");
            statement.setInt(1, 11);
            assertThatThrownBy(statement::executeUpdate).isInstanceOf(SQLException.class);
        }
        assertThat(database.query("select max(id) from item")).isEqualTo("10");
    }

    @Test
    void frozenConnectionGoesOnWhenThawed() throws Exception {
        Connection connection = database.closing(connect());
        proxy.freeze();
        CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return query(connection, "select 'late'");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThatThrownBy(() -> answer.get(50, TimeUnit.MILLISECONDS))
                .isInstanceOf(java.util.concurrent.TimeoutException.class);
        proxy.thaw();
        assertThat(TestDatabase.result(answer)).isEqualTo("late");
    }

    @Test
    void aClosedConnectionIsClosedOnTheServer() throws Exception {
        Connection connection = connect();
        int pid = connection.unwrap(org.postgresql.PGConnection.class).getBackendPID();
        connection.close();
        database.awaitEnd(pid);
        Connection lost = connect();
        proxy.cutAll();
        assertThatThrownBy(() -> query(lost, "select 1")).isInstanceOf(SQLException.class);
    }
}
