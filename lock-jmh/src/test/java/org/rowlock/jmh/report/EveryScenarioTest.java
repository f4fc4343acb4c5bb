package org.rowlock.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.results.BenchmarkResult;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Chart;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;

/** The report can show every scenario there is. */
class EveryScenarioTest {
    private static final List<Double> MILLIS = List.of(1.0, 2.0, 3.0, 50.0);

    static Stream<String> scenarios() {
        return Scenarios.all().stream().map(Scenario::name);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void hasAFigurePerChartAndATablePerMetric(String name) throws IOException {
        ScenarioResult result = result(Scenarios.named(name).orElseThrow());
        RunResults run = MadeUp.run(result);
        String html = HtmlPage.of(run, null);
        for (Chart chart : result.scenario().charts()) {
            assertThat(html).contains("<figcaption><b>" + escaped(chart.title()) + "</b>");
        }
        for (Metric metric : result.scenario().metrics()) {
            assertThat(html).contains("<caption>" + escaped(Words.sentence(Charts.unit(metric))));
        }
        assertThat(TerminalSummary.of(run).lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void standsForAKindOfTableIfItHasASayInMoving(String name) {
        Scenario scenario = Scenarios.named(name).orElseThrow();
        if (Advice.of(result(scenario)).isPresent()) {
            assertThat(TableKinds.of(scenario)).isNotEqualTo(scenario.title());
        }
    }

    private static ScenarioResult result(Scenario scenario) {
        List<Cell> cells = new ArrayList<>();
        for (Point point : scenario.points()) {
            for (String variant : scenario.variants()) {
                List<BenchmarkResult> rounds = new ArrayList<>();
                for (int round = 0; round < scenario.rhythm().rounds(); round++) {
                    double score = 1000 + 10 * round + 100 * scenario.variants().indexOf(variant);
                    rounds.add(MadeUp.round(
                            point.label(),
                            variant,
                            List.of(score, score),
                            others(scenario, score),
                            latencies(scenario)));
                }
                cells.add(new Cell(point, variant, rounds));
            }
        }
        return new ScenarioResult(scenario, scenario.points(), scenario.variants(), cells, List.of());
    }

    private static Map<String, Double> others(Scenario scenario, double value) {
        Map<String, Double> others = new HashMap<>();
        others.put("wait.Lock:tuple", 12.5);
        others.put("wait.LWLock:LockManager", 0.5);
        Stream.concat(
                        scenario.metrics().stream().map(Metric::key),
                        scenario.charts().stream().map(Chart::metric))
                .filter(key -> !key.isEmpty() && !key.equals(Metric.SCORE) && !isLatency(scenario, key))
                .forEach(key -> others.put(key, value));
        return others;
    }

    private static Map<String, List<Double>> latencies(Scenario scenario) {
        Map<String, List<Double>> latencies = new HashMap<>();
        Stream.concat(
                        scenario.metrics().stream().map(Metric::key),
                        scenario.charts().stream().map(Chart::metric))
                .filter(key -> isLatency(scenario, key))
                .forEach(key -> latencies.put(key.split(":")[0], MILLIS));
        return latencies;
    }

    private static boolean isLatency(Scenario scenario, String key) {
        return key.contains(":p")
                || scenario.charts().stream()
                        .anyMatch(chart -> chart.kind() == Chart.Kind.PERCENTILES
                                && chart.metric().equals(key));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("'", "&#39;")
                .replace("<", "&lt;")
                .replace("=", "&#x3D;");
    }
}
