package org.rowlock.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.Comparison;
import org.rowlock.jmh.run.ComparisonSettings;
import org.rowlock.jmh.run.Progress;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.Selection;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.testing.TestPostgres;

/** Every scenario, every variant, for a moment: none may rot. */
class ScenarioSmokeTest {
    private static final int WARMUP_MILLIS = 50;
    private static final int MILLIS = 200;

    static Stream<String> scenarios() {
        return Scenarios.all().stream().map(Scenario::name);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void everyVariantRuns(String name) {
        Scenario scenario = Scenarios.named(name).orElseThrow();
        Point point = small(scenario.points().get(0));
        Scenario.Rhythm moment = new Scenario.Rhythm(
                1, WARMUP_MILLIS, 1, MILLIS, scenario.rhythm().singleShot());
        TestPostgres server = TestPostgres.shared();
        List<String> failures = new ArrayList<>();
        RunResults results = new Comparison(
                        new ComparisonSettings(
                                List.of(new Selection(scenario, List.of(point), scenario.variants(), moment)),
                                scenario.needs().contains(Scenario.Need.MAY_BE_KILLED)
                                        ? null
                                        : new ServerAddress(server.url(), server.user(), server.password()),
                                0,
                                "test",
                                null),
                        new Failures(failures))
                .run();
        assertThat(failures).isEmpty();
        assertThat(results.results()).hasSize(1);
        assertThat(results.results().get(0).cells()).hasSize(scenario.variants().size());
        for (Cell cell : results.results().get(0).cells()) {
            assertThat(cell.perRound("pg.wal").isEmpty())
                    .as("the server's counters of %s", cell.variant())
                    .isEqualTo(
                            scenario.rhythm().singleShot() || scenario.needs().contains(Scenario.Need.NO_SERVER));
            assertThat(cell.perRound(scenario.headline().key()))
                    .as("%s of %s", scenario.headline().title(), cell.variant())
                    .singleElement()
                    .satisfies(value -> assertThat(value).isNotNaN());
        }
    }

    /** With a few threads, as each needs a connection. */
    private static Point small(Point point) {
        List<Integer> groups =
                point.groups().stream().map(threads -> Math.min(threads, 4)).toList();
        int threads = groups.isEmpty()
                ? Math.min(point.threads(), 8)
                : groups.stream().mapToInt(Integer::intValue).sum();
        return new Point(point.label(), threads, groups, point.params());
    }

    private record Failures(List<String> messages) implements Progress {
        @Override
        public void scenario(Selection selection, int number, int of) {}

        @Override
        public void begins(Selection selection, Point point, String variant, int round) {}

        @Override
        public void ended(Selection selection, Cell cell, int round, double done, Duration left) {}

        @Override
        public void failed(Scenario scenario, String variant, String message) {
            messages.add(scenario.name() + " " + variant + ": " + message);
        }
    }
}
