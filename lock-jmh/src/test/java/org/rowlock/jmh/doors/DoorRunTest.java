package org.rowlock.jmh.doors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.bench.Door;
import org.rowlock.jmh.bench.InvariantViolation;
import org.rowlock.jmh.bench.JdbcDoors;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Checks that every door stores its changes, in as many round trips as the documentation says. */
class DoorRunTest {
    private static final TestPostgres SERVER = TestPostgres.shared();
    private static final ServerAddress ADDRESS = new ServerAddress(SERVER.url(), SERVER.user(), SERVER.password());
    private static final int CHANGES = 10;

    /** The variants that only scenarios use. */
    private static final List<String> OF_SCENARIOS =
            List.of("drop-in-off", "drop-in-observe", "at-commit-advisory", "at-commit-early", "execute-early");

    private static List<ScenarioResult> run(int clients, int writes, int rounds, List<String> doors) throws Exception {
        DoorSettings settings = new DoorSettings(
                ADDRESS, List.of(clients), List.of(0.0), List.of(100), writes, doors, rounds, Duration.ofMillis(50), 1);
        return new DoorRun(settings, line -> {}).run();
    }

    /**
     * Returns the round trips of a change. Rowlock reads the catalog in the first changes, and again after some
     * seconds. These reads are not counted.
     */
    private static double roundTrips(Door door) throws SQLException {
        change(door);
        int before = RoundTripCounter.counted();
        change(door);
        return (RoundTripCounter.counted() - before) / (double) CHANGES;
    }

    private static void change(Door door) throws SQLException {
        for (int i = 0; i < CHANGES; i++) {
            door.change().raise(1);
        }
    }

    @Test
    void roundTripsAreThoseOfTheDocumentation() throws Exception {
        Map<String, Double> trips = new TreeMap<>();
        try (BenchmarkServer server = BenchmarkServer.open(ADDRESS)) {
            DoorRun.createTables(server);
            JdbcDoors jdbc = new JdbcDoors(server, 1, 1);
            JpaDoors jpa = new JpaDoors(server, jdbc.pool());
            List<String> names = Stream.concat(DoorRun.names().stream(), OF_SCENARIOS.stream())
                    .toList();
            for (String name : names) {
                Door door = JpaDoors.NAMES.contains(name) ? jpa.door(name) : jdbc.door(name);
                assertThat(door.by()).isOne();
                trips.put(door.label(), roundTrips(door));
            }
            DoorRun.checkSum(server, 2L * CHANGES * names.size());
        }
        assertThat(trips)
                .containsEntry("by hand", 3.0)
                .containsEntry("by hand, pool of 16", 3.0)
                .containsEntry("by hand, pool of 8", 3.0)
                .containsEntry("by hand, pool of 4", 3.0)
                .containsEntry("lock", 4.0)
                .containsEntry("lockAndRead", 3.0)
                .containsEntry("inTransaction", 3.0)
                .containsEntry("inTransaction, BOTH", 3.0)
                .containsEntry("inTransaction, ADVISORY", 3.0)
                .containsEntry("writes with the commit", 2.0)
                .containsEntry("writes with the commit, ADVISORY", 2.0)
                .containsEntry("writes with the commit, early release", 2.0)
                .containsEntry("execute", 1.0)
                .containsEntry("execute, early release", 1.0)
                .containsEntry("execute, groups of 32", 1.0)
                .containsEntry("drop-in", 3.0)
                .containsEntry("drop-in observe", 3.0)
                .containsEntry("drop-in off", 3.0)
                .containsEntry("JPA, PESSIMISTIC_WRITE query", 3.0)
                .containsEntry("JPA, find with PESSIMISTIC_WRITE", 3.0)
                .containsEntry("JPA, @RowLock and find", 3.0)
                .containsEntry("JPA, the query through the drop-in", 3.0)
                .containsEntry("JPA, @RowLock and find through the drop-in", 3.0)
                .containsEntry("JPA, the query through the drop-in, writes with the commit", 2.0)
                .containsEntry("JPA, @RowLock and find, writes with the commit", 2.0)
                .containsEntry("JPA, @Version with retries", 3.0)
                .containsEntry("one UPDATE in autocommit, by hand", 1.0)
                .containsEntry("one UPDATE in autocommit, drop-in, groups of 64", 1.0)
                .hasSize(DoorRun.names().size() + OF_SCENARIOS.size());
    }

    @Test
    void everyDoorIsInTheReportOfARun() throws Exception {
        List<VariantResult> doors = run(1, 1, 1, DoorRun.names()).stream()
                .flatMap(family -> family.points().get(0).variants().stream())
                .toList();
        assertThat(doors)
                .hasSameSizeAs(DoorRun.names())
                .allSatisfy(door -> assertThat(door.figures().get("roundTrips")).isGreaterThanOrEqualTo(1));
        assertThat(doors.stream().filter(door -> door.kind() == Kind.BASELINE))
                .hasSize(2)
                .allSatisfy(door -> assertThat(door.figures().get("roundTrips")).isCloseTo(3, within(0.5)));
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
            Door door = new JdbcDoors(server, 1, 2).door("by-hand");
            door.change().raise(7);
            DoorRun.checkSum(server, door.by());
            assertThatThrownBy(() -> DoorRun.checkSum(server, 2 * door.by()))
                    .isInstanceOf(InvariantViolation.class)
                    .hasMessageContaining("raised 4 times, and add up to 2");
        }
    }
}
