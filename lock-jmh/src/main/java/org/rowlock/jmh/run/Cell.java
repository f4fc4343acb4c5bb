package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.util.Statistics;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;

/**
 * What one variant came to at one point, in all rounds.
 *
 * @param point where
 * @param variant what
 * @param rounds JMH's result of each round, in order
 */
public record Cell(Point point, String variant, List<BenchmarkResult> rounds) {
    private static final String WAIT = "wait.";

    /** A metric's value of each round; empty where the benchmark has no such result. */
    public List<Double> perRound(String metric) {
        List<Double> values = new ArrayList<>();
        for (BenchmarkResult round : rounds) {
            score(round, metric).ifPresent(values::add);
        }
        return values;
    }

    /** The mean of a metric over all rounds. */
    public Optional<Double> mean(String metric) {
        List<Double> values = perRound(metric);
        return values.isEmpty()
                ? Optional.empty()
                : Optional.of(values.stream().mapToDouble(Double::doubleValue).sum() / values.size());
    }

    /** All samples of a latency, of all rounds together, in milliseconds. */
    public Optional<Statistics> latency(String name) {
        return Optional.ofNullable(merged().getSecondaryResults().get(name)).map(result -> result.getStatistics());
    }

    /** Sampled wait events by name, such as {@code Lock:tuple}: how many sessions were in it at a time, on average. */
    public Map<String, Double> waits() {
        Map<String, Double> waits = new TreeMap<>();
        merged().getSecondaryResults().forEach((label, result) -> {
            if (label.startsWith(WAIT)) {
                waits.put(label.substring(WAIT.length()), result.getScore());
            }
        });
        return waits;
    }

    /** A metric of each iteration of each round, one after the other. */
    public List<Double> timeline(String metric) {
        List<Double> values = new ArrayList<>();
        for (BenchmarkResult round : rounds) {
            for (IterationResult iteration : round.getIterationResults()) {
                values.add(score(new BenchmarkResult(round.getParams(), List.of(iteration)), metric)
                        .orElse(0.0));
            }
        }
        return values;
    }

    /** All rounds as one result of JMH's, whose forks they are. */
    public RunResult merged() {
        return new RunResult(rounds.get(0).getParams(), rounds);
    }

    private static Optional<Double> score(BenchmarkResult round, String metric) {
        var result = metric.equals(Metric.SCORE)
                ? round.getPrimaryResult()
                : round.getSecondaryResults().get(metric);
        return Optional.ofNullable(result).map(found -> found.getScore());
    }
}
