package org.rowlock.jmh.report;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ResultRole;
import org.openjdk.jmh.results.SampleTimeResult;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.results.ThroughputResult;
import org.openjdk.jmh.runner.IterationType;
import org.openjdk.jmh.runner.WorkloadParams;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.SampleBuffer;
import org.rowlock.jmh.profile.Throughput;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Chart;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;

/** Results as JMH would have them, of numbers that a test chooses. */
final class MadeUp {
    private final String name;
    private final List<Metric> metrics;
    private final List<Cell> cells = new ArrayList<>();
    private final List<Point> points = new ArrayList<>();
    private final List<String> variants = new ArrayList<>();
    private List<Chart> charts = List.of(new Chart(Chart.Kind.BARS, Metric.SCORE, "Throughput"));
    private List<String> remarks = List.of();
    private String title = "A title";
    private String question = "A question?";
    private String published = "";
    private String axis = "clients";
    private String baseline = "ROW";

    private MadeUp(String name, List<Metric> metrics) {
        this.name = name;
        this.metrics = metrics;
    }

    /** Of throughput alone, or of these metrics. */
    static MadeUp scenario(String name, Metric... metrics) {
        return new MadeUp(name, metrics.length == 0 ? List.of(Metric.throughput("throughput")) : List.of(metrics));
    }

    MadeUp texts(String title, String question, String published, String axis) {
        this.title = title;
        this.question = question;
        this.published = published;
        this.axis = axis;
        return this;
    }

    MadeUp charts(Chart... charts) {
        this.charts = List.of(charts);
        return this;
    }

    MadeUp remarks(String... remarks) {
        this.remarks = List.of(remarks);
        return this;
    }

    MadeUp baseline(String baseline) {
        this.baseline = baseline;
        return this;
    }

    /** A variant that was to be compared. */
    MadeUp variant(String variant) {
        if (!variants.contains(variant)) {
            variants.add(variant);
        }
        return this;
    }

    /** The score of each round. */
    MadeUp cell(String point, String variant, double... scores) {
        return cell(
                point,
                variant,
                Arrays.stream(scores)
                        .mapToObj(score -> round(point, variant, List.of(score), Map.of(), Map.of()))
                        .toList());
    }

    MadeUp cell(String point, String variant, List<BenchmarkResult> rounds) {
        Point at = point(point);
        if (!points.contains(at)) {
            points.add(at);
        }
        variant(variant);
        cells.add(new Cell(at, variant, rounds));
        return this;
    }

    ScenarioResult result() {
        Scenario scenario = new Scenario(
                name,
                title,
                question,
                published,
                MadeUp.class,
                axis,
                points,
                true,
                variants,
                baseline,
                metrics,
                charts,
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
        return new ScenarioResult(scenario, points, variants, cells, remarks);
    }

    static Point point(String label) {
        return Point.of(label, 4, Map.of("place", label));
    }

    static RunResults run(ScenarioResult... results) {
        return run(List.of(results), Map.of());
    }

    static RunResults run(List<ScenarioResult> results, Map<String, String> failures) {
        Map<String, String> server = new LinkedHashMap<>();
        server.put("version", "PostgreSQL 18.6");
        server.put("where", "embedded");
        return new RunResults(
                results,
                failures,
                "java -jar benchmarks.jar compare --seconds 4",
                Instant.parse("2026-01-02T03:04:05Z"),
                Duration.ofSeconds(754),
                server,
                Map.of("shared_buffers", "256MB"),
                Map.of("cores", "2"));
    }

    /**
     * A round.
     *
     * @param scores of its iterations
     * @param others secondary results, the same in each iteration
     * @param latencies samples in milliseconds, by name
     */
    static BenchmarkResult round(
            String point,
            String variant,
            List<Double> scores,
            Map<String, Double> others,
            Map<String, List<Double>> latencies) {
        BenchmarkParams params = params(point, variant);
        List<IterationResult> iterations = new ArrayList<>();
        for (double score : scores) {
            IterationResult iteration = new IterationResult(params, params.getMeasurement(), null);
            iteration.addResult(new ThroughputResult(
                    ResultRole.PRIMARY, "work", score, TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS));
            if (!others.containsKey(Throughput.NAME)) {
                iteration.addResult(new ScalarResult(Throughput.NAME, score, "ops/s", AggregationPolicy.AVG));
            }
            others.forEach((label, value) ->
                    iteration.addResult(new ScalarResult(label, value, "unit", AggregationPolicy.AVG)));
            latencies.forEach((name, millis) -> {
                SampleBuffer samples = new SampleBuffer();
                millis.forEach(sample -> samples.add(Math.round(sample * 1e6)));
                iteration.addResult(new SampleTimeResult(ResultRole.SECONDARY, name, samples, TimeUnit.MILLISECONDS));
            });
            iterations.add(iteration);
        }
        return new BenchmarkResult(params, iterations);
    }

    private static BenchmarkParams params(String point, String variant) {
        WorkloadParams workload = new WorkloadParams();
        workload.put("place", point, 0);
        workload.put("variant", variant, 1);
        return new BenchmarkParams(
                "org.rowlock.jmh.bench.MadeUpBenchmark.work",
                "",
                true,
                4,
                new int[] {4},
                List.of("work"),
                1,
                0,
                new IterationParams(IterationType.WARMUP, 1, TimeValue.seconds(1), 1),
                new IterationParams(IterationType.MEASUREMENT, 1, TimeValue.seconds(1), 1),
                Mode.Throughput,
                workload,
                TimeUnit.SECONDS,
                1,
                "java",
                List.of("-Xmx1g"),
                "17",
                "VM",
                "17",
                "1.37",
                TimeValue.minutes(10));
    }
}
