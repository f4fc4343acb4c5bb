package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.bench.Items.Item;
import org.rowlock.jmh.bench.WriteMix.Change;
import org.rowlock.jmh.bench.WriteMix.Plan;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.testing.JmhRuns;

/** What counts as lost, and what is tried again. */
class WriteMixTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final List<Integer> IDS = List.of(1, 2, 3);
    private static final Plan PLAN = new Plan(IDS, List.of(Change.WRITE_INDEXED, Change.WRITE_PLAIN, Change.REINSERT));

    private static BenchmarkServer server;
    private static HikariDataSource pool;

    private final Latency latency = Latency.of("transaction");
    private Items items;

    @BeforeAll
    static void open() throws SQLException {
        server = BenchmarkServer.open(Map.of());
        pool = server.pool(3);
    }

    @AfterAll
    static void close() throws SQLException {
        server.close();
    }

    @BeforeEach
    void newTable() throws SQLException {
        execute("drop table if exists " + Items.TABLE);
        items = Items.create(server, 10);
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private WriteMix mix(String variant, int mostRetries) {
        return new WriteMix(Variant.parse(variant), items, pool, mostRetries);
    }

    private static Item read(Connection connection, int id) throws SQLException {
        return Items.read(connection, IDS).get(id);
    }

    @Test
    void aLockThatLetsTwoInFailsTheRun() {
        Point point = Point.of("zipf", 16, Map.of("rows", "20"));
        RunnerException failure =
                catchThrowableOfType(RunnerException.class, () -> JmhRuns.run(WriteMixBenchmark.class, point, "NONE"));
        assertThat(failure).isNotNull();
        assertThat(JmhRuns.messages(failure)).anyMatch(message -> message.startsWith("Invariant violated: "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"OPTIMISTIC", "ROW", "BOTH", "ADVISORY", "ADVISORY+admission"})
    void everyCommitLeavesOneTraceOfEachKind(String variant) throws SQLException {
        WriteMix mix = mix(variant, 0);
        mix.commit(PLAN, latency);
        mix.commit(PLAN, latency);
        mix.check();
        items.check(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void oneLostUpdateOfAnyKindIsMissing(int id) throws SQLException {
        // Both have read the row before either writes it, as two that are inside one lock would.
        try (Connection one = server.connect();
                Connection other = server.connect()) {
            Item readByOne = read(one, id);
            Item readByOther = read(other, id);
            assertThat(write(one, readByOne, false)).isTrue();
            assertThat(write(other, readByOther, false)).isTrue();
        }
        for (int rest : IDS) {
            for (int i = 0; rest != id && i < 2; i++) {
                try (Connection connection = server.connect()) {
                    assertThat(write(connection, read(connection, rest), false)).isTrue();
                }
            }
        }
        assertThatThrownBy(() -> items.check(2))
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining(
                        "after 2 commits the rows have seen %d updates of the index, %d other updates"
                                + " and %d inserts",
                        seen(id, 1), seen(id, 2), seen(id, 3));
    }

    private static int seen(int lost, int id) {
        return lost == id ? 1 : 2;
    }

    private static boolean write(Connection connection, Item read, boolean versioned) throws SQLException {
        return switch (read.id()) {
            case 1 -> Items.writeIndexed(connection, read, versioned);
            case 2 -> Items.writePlain(connection, read, versioned);
            default -> Items.reinsert(connection, read, versioned);
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aVersionThatHasChangedRefusesTheWrite(int id) throws SQLException {
        try (Connection one = server.connect();
                Connection other = server.connect()) {
            Item readByOne = read(one, id);
            Item readByOther = read(other, id);
            assertThat(write(one, readByOne, true)).isTrue();
            assertThat(write(other, readByOther, true)).isFalse();
        }
    }

    @Test
    void aRowLockThatComesBackWithNothingIsTriedAgain() throws Exception {
        try (Connection holder = server.connect()) {
            holder.setAutoCommit(false);
            assertThat(Items.reinsert(holder, read(holder, 3), false)).isTrue();
            commitBehind(holder, mix("ROW", 10));
        }
        try (Connection connection = server.connect()) {
            assertThat(read(connection, 3).inserts()).isEqualTo(2);
        }
    }

    @Test
    void aVersionThatSomebodyElseWasFasterToRaiseIsReadAgain() throws Exception {
        try (Connection holder = server.connect()) {
            holder.setAutoCommit(false);
            assertThat(Items.writeIndexed(holder, read(holder, 1), true)).isTrue();
            commitBehind(holder, mix("OPTIMISTIC", 10));
        }
        try (Connection connection = server.connect()) {
            assertThat(read(connection, 1)).isEqualTo(new Item(1, 3, 0, 0, 2));
        }
    }

    /** Has a transaction wait for the holder's before that commits. */
    private void commitBehind(Connection holder, WriteMix mix) throws Exception {
        CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> {
            try {
                mix.commit(PLAN, latency);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        awaitWaiting();
        holder.commit();
        commit.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Until one of ours waits for another's transaction. */
    private static void awaitWaiting() {
        Awaitility.await().atMost(DEADLINE).pollInterval(Duration.ofMillis(10)).until(() -> {
            try (Connection connection = server.connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("select count(*) from pg_stat_activity"
                            + " where wait_event_type = 'Lock' and datname = current_database()")) {
                row.next();
                return row.getInt(1) == 1;
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"NAIVE", "ADVISORY+pipelined"})
    void whatCannotLockSeveralRowsAtOnceIsRefused(String variant) {
        assertThatThrownBy(() -> mix(variant, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(variant);
    }
}
