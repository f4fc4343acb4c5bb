package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.jmh.bench.Items.Item;
import org.rowlock.jmh.bench.WriteMix.Change;
import org.rowlock.jmh.bench.WriteMix.Plan;
import org.rowlock.jmh.server.BenchmarkServer;

/** What counts as lost, and what is tried again. */
class WriteMixTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final List<Integer> IDS = List.of(1, 2, 3);
    private static final Plan PLAN = new Plan(IDS, List.of(Change.WRITE_INDEXED, Change.WRITE_PLAIN, Change.REINSERT));

    private static BenchmarkServer server;
    private static HikariDataSource pool;

    private final Latency latency = new Latency();
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

    private WriteMix mix(Strategy strategy, boolean admission, int mostRetries) {
        Locking locking = new Locking(strategy, admission, pool, Items.TABLE, List.of("id"));
        return new WriteMix(locking, pool, items, new Meter(), mostRetries);
    }

    private static Item read(Connection connection, int id) throws SQLException {
        return Items.read(connection, IDS).get(id);
    }

    @ParameterizedTest
    @CsvSource({"OPTIMISTIC, false", "ROW, false", "BOTH, false", "ADVISORY, false", "ADVISORY, true"})
    void everyCommitLeavesOneTraceOfEachKind(Strategy strategy, boolean admission) throws SQLException {
        WriteMix mix = mix(strategy, admission, 0);
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
            commitBehind(holder, mix(Strategy.ROW, false, 10));
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
            commitBehind(holder, mix(Strategy.OPTIMISTIC, false, 10));
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
}
