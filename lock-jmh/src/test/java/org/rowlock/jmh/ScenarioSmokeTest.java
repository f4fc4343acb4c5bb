package org.rowlock.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.jmh.run.Comparison;
import org.rowlock.jmh.run.ComparisonSettings;
import org.rowlock.jmh.run.Results;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Runs every variant of every scenario briefly, with its checks, so that a broken variant is noticed. */
@Tag("long")
class ScenarioSmokeTest {
    static Stream<String> scenarios() {
        return Scenarios.all().stream().map(Scenario::name);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void everyVariantRuns(String name) {
        Scenario scenario = Scenarios.named(name).orElseThrow();
        Timing timing = scenario.timing();
        Timing moment = new Timing(1, 0, timing.windows() > 1 ? 4 : 1, 300);
        Scenario small = scenario.with(List.of(small(scenario.points().get(0))), scenario.variants())
                .timed(moment);
        TestPostgres server = TestPostgres.shared();
        ServerAddress address =
                scenario.killsServer() ? null : new ServerAddress(server.url(), server.user(), server.password());
        List<String> failures = new ArrayList<>();
        Results results = new Comparison(
                        new ComparisonSettings(List.of(small), address, 0, "test", "test", List.of(), null, null),
                        line -> {},
                        failures::add)
                .run();
        assertThat(failures).isEmpty();
        assertThat(results.scenarios()).hasSize(1);
        PointResult point = results.scenarios().get(0).points().get(0);
        assertThat(point.variants().stream().map(VariantResult::label))
                .containsExactlyElementsOf(scenario.variants().stream()
                        .map(org.rowlock.jmh.scenario.Variant::label)
                        .toList());
        for (VariantResult variant : point.variants()) {
            assertThat(variant.rounds())
                    .as("%s of %s", scenario.headline().title(), variant.label())
                    .singleElement()
                    .satisfies(value -> assertThat(value).isNotNaN());
            assertThat(variant.figures()).containsKey("net.roundTrip");
        }
    }

    /**
     * Returns the point with few clients and JVMs, because each client needs a connection and each JVM needs a
     * processor.
     */
    private static Point small(Point point) {
        Map<String, String> params = new TreeMap<>(point.params());
        params.put(Point.CLIENTS, Integer.toString(Math.min(8, point.clients())));
        params.put(Point.RTT, "0");
        params.computeIfPresent("jvms", (name, number) -> Integer.toString(Math.min(2, Integer.parseInt(number))));
        return new Point(point.label(), params, point.connections(), point.locks());
    }
}
