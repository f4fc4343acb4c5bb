package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.jmh.bench.WriteMixed.Change;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/** Checks which writes count as lost, and which transactions are retried. */
class WriteMixTest {
    private static final String WAITING = "select count(*) from pg_stat_activity"
            + " where wait_event_type = 'Lock' and datname = current_database()";
    private static final List<Integer> IDS = List.of(1, 2, 3);
    private static final SortedMap<Integer, Change> PLAN =
            new TreeMap<>(Map.of(1, Change.INDEXED, 2, Change.PLAIN, 3, Change.REINSERT));

    private static BenchmarkServer server;

    private final Latency latency = new Latency();

    @BeforeAll
    static void open() throws SQLException {
        server = BenchmarkServer.open(Map.of());
    }

    @AfterAll
    static void close() throws SQLException {
        server.close();
    }

    @BeforeEach
    void noTable() throws SQLException {
        try (Connection connection = server.connect()) {
            TestDatabase.execute(connection, "drop table if exists " + WriteMixed.TABLE);
        }
    }

    private static WriteMixed mix(Strategy strategy, boolean admission) throws SQLException {
        WriteMixed mix = new WriteMixed();
        mix.server = server;
        mix.strategy = strategy;
        mix.admission = admission;
        mix.clients = 3;
        mix.rows = 10;
        mix.prepare();
        return mix;
    }

    private static long version(Connection connection, int id) throws SQLException {
        return WriteMixed.versions(connection, IDS).get(id);
    }

    @ParameterizedTest
    @CsvSource({
        "OPTIMISTIC, false",
        "FOR_UPDATE, false",
        "ROW, false",
        "BOTH, false",
        "ADVISORY, false",
        "ADVISORY, true"
    })
    void everyCommitLeavesOneTraceOfEachKind(Strategy strategy, boolean admission) throws SQLException {
        WriteMixed mix = mix(strategy, admission);
        mix.commit(PLAN, latency);
        mix.commit(PLAN, latency);
        mix.check();
        assertThat(mix.commits.sum()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void oneLostUpdateOfAnyKindIsMissing(int id) throws SQLException {
        WriteMixed mix = mix(Strategy.NONE, false);
        // Both sessions read the row before one of them writes the row, like two transactions inside one lock.
        try (Connection one = server.connect();
                Connection other = server.connect()) {
            long readByOne = version(one, id);
            long readByOther = version(other, id);
            assertThat(write(mix, one, id, readByOne)).isTrue();
            assertThat(write(mix, other, id, readByOther)).isTrue();
        }
        for (int rest : IDS) {
            for (int i = 0; rest != id && i < 2; i++) {
                try (Connection connection = server.connect()) {
                    assertThat(write(mix, connection, rest, version(connection, rest)))
                            .isTrue();
                }
            }
        }
        mix.commits.add(2);
        assertThatThrownBy(mix::check)
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining("the commits made 6 writes, and the rows have seen 5.");
    }

    private static boolean write(WriteMixed mix, Connection connection, int id, long read) throws SQLException {
        return mix.write(connection, id, PLAN.get(id), read);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aVersionThatHasChangedRefusesTheWrite(int id) throws SQLException {
        WriteMixed mix = mix(Strategy.OPTIMISTIC, false);
        try (Connection one = server.connect();
                Connection other = server.connect()) {
            long readByOne = version(one, id);
            long readByOther = version(other, id);
            assertThat(write(mix, one, id, readByOne)).isTrue();
            assertThat(write(mix, other, id, readByOther)).isFalse();
        }
    }

    @Test
    void aRowLockThatComesBackWithNothingIsTriedAgain() throws Exception {
        assertThat(commitBehind(Strategy.ROW, 3)).isEqualTo(2);
    }

    @Test
    void aVersionThatSomebodyElseWasFasterToRaiseIsReadAgain() throws Exception {
        assertThat(commitBehind(Strategy.OPTIMISTIC, 1)).isEqualTo(2);
    }

    /**
     * Makes a transaction wait for another transaction that has written a row, and returns the version of the
     * row after both transactions.
     */
    private long commitBehind(Strategy strategy, int id) throws Exception {
        WriteMixed mix = mix(strategy, false);
        try (Connection holder = server.connect();
                Connection reader = server.connect()) {
            holder.setAutoCommit(false);
            assertThat(write(mix, holder, id, version(holder, id))).isTrue();
            CompletableFuture<?> commit = Threads.start(() -> {
                mix.commit(PLAN, latency);
                return null;
            });
            TestDatabase.await("one waits for the other's transaction")
                    .until(() -> TestDatabase.query(reader, WAITING).equals("1"));
            holder.commit();
            TestDatabase.result(commit);
            return version(reader, id);
        }
    }
}
