package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/**
 * Checks that a run whose time is over omits rounds and scenarios and reports the omission. The rounds that do run are
 * enough for an interval.
 */
class BudgetTest {
    private final TestPostgres server = TestPostgres.shared();

    private static Scenario moment(String name) {
        Scenario scenario = Scenarios.named(name).orElseThrow();
        return scenario.with(List.of(Point.clients(1)), scenario.variants().subList(0, 2))
                .timed(new Timing(4, 0, 1, 100));
    }

    @Test
    void isKeptByRoundsFirstAndThenByScenarios() {
        Results results = new Comparison(
                        new ComparisonSettings(
                                List.of(moment("clients"), moment("read-after-lock")),
                                new ServerAddress(server.url(), server.user(), server.password()),
                                0,
                                Duration.ZERO,
                                "",
                                "",
                                List.of(),
                                null,
                                null),
                        line -> {},
                        line -> {})
                .run();
        assertThat(results.failures()).isEmpty();
        assertThat(results.scenarios()).extracting(ScenarioResult::name).containsExactly("clients");
        assertThat(results.scenarios().get(0).points().get(0).variants())
                .allSatisfy(variant -> assertThat(variant.rounds()).hasSize(3));
        assertThat(results.remarks())
                .anySatisfy(remark -> assertThat(remark).startsWith("clients has 3 rounds and not 4"))
                .anySatisfy(remark -> assertThat(remark).startsWith("Without read-after-lock"));
    }
}
