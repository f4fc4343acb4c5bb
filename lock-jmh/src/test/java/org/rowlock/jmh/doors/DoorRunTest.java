package org.rowlock.jmh.doors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.bench.InvariantViolation;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Checks that every door stores its changes, in as many round trips as the documentation says. */
class DoorRunTest {
    private static final TestPostgres SERVER = TestPostgres.shared();
    private static final ServerAddress ADDRESS = new ServerAddress(SERVER.url(), SERVER.user(), SERVER.password());

    private static List<ScenarioResult> run(int clients, int writes, int rounds, List<String> doors) throws Exception {
        DoorSettings settings = new DoorSettings(
                ADDRESS, List.of(clients), List.of(0.0), List.of(100), writes, doors, rounds, Duration.ofMillis(50), 1);
        return new DoorRun(settings, line -> {}).run();
    }

    @Test
    void roundTripsAreThoseOfTheDocumentation() throws Exception {
        Map<String, Long> trips = new TreeMap<>();
        run(1, 1, 1, DoorRun.names())
                .forEach(family -> family.points()
                        .get(0)
                        .variants()
                        .forEach(door -> trips.put(
                                door.label(), Math.round(door.figures().getOrDefault("roundTrips", 0.0)))));
        assertThat(trips)
                .containsEntry("by hand", 3L)
                .containsEntry("by hand, pool of 4", 3L)
                .containsEntry("lock", 4L)
                .containsEntry("lockAndRead", 3L)
                .containsEntry("inTransaction", 3L)
                .containsEntry("inTransaction, BOTH", 3L)
                .containsEntry("inTransaction, ADVISORY", 3L)
                .containsEntry("writes with the commit", 2L)
                .containsEntry("execute", 1L)
                .containsEntry("execute, groups of 32", 1L)
                .containsEntry("drop-in", 3L)
                .containsEntry("JPA, PESSIMISTIC_WRITE query", 3L)
                .containsEntry("JPA, find with PESSIMISTIC_WRITE", 3L)
                .containsEntry("JPA, @RowLock and find", 3L)
                .containsEntry("JPA, the query through the drop-in", 3L)
                .containsEntry("JPA, @RowLock and find through the drop-in", 3L)
                .containsEntry("JPA, the query through the drop-in, writes with the commit", 2L)
                .containsEntry("JPA, @RowLock and find, writes with the commit", 2L)
                .containsEntry("JPA, @Version with retries", 3L)
                .containsEntry("one UPDATE in autocommit, by hand", 1L)
                .containsEntry("one UPDATE in autocommit, drop-in, groups of 64", 1L);
    }

    @Test
    void aCrowdLosesNothingAndATenthOfItOnlyReads() throws Exception {
        List<ScenarioResult> families = run(
                10,
                3,
                2,
                List.of(
                        "groups",
                        "both",
                        "advisory",
                        "drop-in",
                        "drop-in-groups",
                        "jpa-flush-row-lock",
                        "jpa-version"));
        List<PointResult> points = new ArrayList<>();
        families.forEach(family -> points.addAll(family.points()));
        assertThat(points).isNotEmpty().allSatisfy(point -> {
            assertThat(point.label()).isEqualTo("10 clients");
            assertThat(point.variants()).allSatisfy(door -> {
                assertThat(door.rounds()).hasSize(2);
                assertThat(door.figures()).containsKeys("score", "others", "roundTrips");
            });
            assertThat(point.variants().stream().filter(door -> door.kind() == Kind.BASELINE))
                    .hasSize(1);
            assertThat(point.variants())
                    .anySatisfy(door ->
                            assertThat(door.figures()).containsKeys("readers.rate", "readers.p50", "readers.p99"));
        });
    }

    /** If a change is lost, the run fails and writes no report. */
    @Test
    void aLostChangeIsAViolation() throws Exception {
        try (BenchmarkServer server = BenchmarkServer.open(ADDRESS)) {
            DoorRun.createTables(server);
            DoorPools pools = new DoorPools(server, 1);
            Door door = new JdbcDoors(pools, 2).door(JdbcDoors.BY_HAND);
            door.change().raise(7);
            pools.checkSum(door.by());
            assertThatThrownBy(() -> pools.checkSum(2 * door.by()))
                    .isInstanceOf(InvariantViolation.class)
                    .hasMessageContaining("raised 4 times, and add up to 2");
        }
    }
}
