package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.bench.Door;
import org.rowlock.jmh.bench.InvariantViolation;
import org.rowlock.jmh.bench.JdbcDoors;
import org.rowlock.jmh.bench.JpaDoors;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Checks that every door stores its changes, in as many round trips as the documentation says. */
class DoorRunTest {
    private static final TestPostgres SERVER = TestPostgres.shared();
    private static final ServerAddress ADDRESS = new ServerAddress(SERVER.url(), SERVER.user(), SERVER.password());
    private static final int CHANGES = 10;

    private static final List<Scenario> FAMILIES = Stream.of("doors", "doors-jpa")
            .map(name -> Scenarios.named(name).orElseThrow())
            .toList();

    private static List<ScenarioResult> run(int clients, int rounds, List<String> doors) throws Exception {
        Point point = Point.clients(clients).with(Point.ROWS, "100");
        List<Scenario> families = FAMILIES.stream()
                .map(family -> family.with(
                                List.of(point),
                                family.variants().stream()
                                        .filter(each -> each.equals(family.baseline()) || doors.contains(each.door()))
                                        .toList())
                        .timed(new Timing(rounds, 0, 1, 250)))
                .toList();
        Results results = new Comparison(settings(families), line -> {}, line -> {}).run();
        assertThat(results.failures()).isEmpty();
        return results.scenarios();
    }

    private static ComparisonSettings settings(List<Scenario> families) {
        return new ComparisonSettings(families, ADDRESS, 1, "", "", List.of(), null, null);
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
        Map<Double, String> trips = new TreeMap<>();
        try (BenchmarkServer server = BenchmarkServer.open(Map.of())) {
            DoorRun.createTables(server);
            JdbcDoors jdbc = new JdbcDoors(server, 1, 1);
            JpaDoors jpa = new JpaDoors(server, jdbc.pool());
            List<String> names = Scenarios.all().stream()
                    .filter(Scenario::sharesJvm)
                    .flatMap(scenario -> scenario.variants().stream())
                    .map(Variant::door)
                    .distinct()
                    .sorted()
                    .toList();
            for (String name : names) {
                Door door = JpaDoors.has(name) ? jpa.door(name) : jdbc.door(name);
                assertThat(door.by()).isOne();
                trips.merge(roundTrips(door), name, (doors, next) -> doors + ' ' + next);
            }
            DoorRun.checkSum(server, 2L * CHANGES * names.size());
        }
        assertThat(trips)
                .isEqualTo(Map.of(
                        1.0, "drop-in-groups execute execute-early groups update",
                        2.0, "at-commit at-commit-advisory at-commit-early jpa-flush jpa-flush-row-lock",
                        3.0,
                                "advisory both by-hand drop-in drop-in-observe drop-in-off in-transaction jpa-drop-in"
                                        + " jpa-drop-in-row-lock jpa-find jpa-query jpa-row-lock jpa-version lock-and-read"
                                        + " pool-16 pool-4 pool-8 select",
                        4.0, "jpa-row-lock-statement lock naive"));
    }

    @Test
    void aCrowdLosesNothingAndATenthOfItOnlyReads() throws Exception {
        List<ScenarioResult> families = run(
                10,
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
                assertThat(door.figures()).containsKeys("score", "cpu.others", "roundTrips");
            });
            assertThat(point.variants().stream().filter(door -> door.kind() == Kind.BASELINE))
                    .hasSize(1);
            assertThat(point.variants())
                    .anySatisfy(
                            door -> assertThat(door.figures()).containsKeys("readers", "readers.p50", "readers.p99"));
        });
    }

    /** An UPDATE in autocommit and the variants of JPA write once. */
    @Test
    void threeWritesAreComparedOnlyWithThreeWrites() {
        Point thrice = Point.clients(2).with("writes", "3");
        List<Scenario> families = FAMILIES.stream()
                .map(family -> family.with(
                                family.name().equals("doors") ? List.of(thrice) : List.of(Point.clients(2)),
                                family.variants().stream()
                                        .filter(each -> each.equals(family.baseline())
                                                || List.of("execute", "update").contains(each.door()))
                                        .toList())
                        .timed(new Timing(1, 0, 1, 50)))
                .toList();
        Results results = new Comparison(settings(families), line -> {}, line -> {}).run();
        assertThat(results.failures()).isEmpty();
        assertThat(results.scenarios().stream()
                        .flatMap(family -> family.points().get(0).variants().stream())
                        .map(VariantResult::label))
                .containsExactly("by hand", "execute", "JPA, PESSIMISTIC_WRITE query");
        VariantResult byHand =
                results.scenarios().get(0).points().get(0).variants().get(0);
        assertThat(byHand.figures().get("roundTrips")).isCloseTo(5, within(0.5));
    }

    /** A change may be lost by any variant, at any point, so no result is left. The stop does not hide the loss. */
    @Test
    void afterALostChangeThereAreNoResults() {
        Scenario jpa = FAMILIES.get(1);
        List<Point> points = List.of(Point.clients(1), Point.clients(2));
        Scenario queries = jpa.with(points, List.of(jpa.baseline())).timed(new Timing(1, 0, 1, 50));
        AtomicReference<Comparison> running = new AtomicReference<>();
        AtomicBoolean isLast = new AtomicBoolean();
        Comparison run = new Comparison(
                settings(List.of(queries)),
                line -> {
                    if (line.endsWith(", 2 clients")) {
                        isLast.set(true);
                    }
                    if (isLast.get() && line.contains("round 1 of 1")) {
                        loseAChange();
                        running.get().stop();
                    }
                },
                line -> {});
        running.set(run);
        Results results = run.run();
        assertThat(results.scenarios()).isEmpty();
        assertThat(results.failures().get(0))
                .startsWith("doors-jpa, 2 clients: Invariant violated: the balances were raised");
    }

    private static void loseAChange() {
        try {
            SERVER.execute("update rowlock_bench.accounts set balance = balance - 1 where aid = 1");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** If a change is lost, the run fails and writes no report. */
    @Test
    void aLostChangeIsAViolation() throws Exception {
        try (BenchmarkServer server = BenchmarkServer.open(Map.of())) {
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
