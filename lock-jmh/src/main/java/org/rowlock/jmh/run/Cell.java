package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.util.Statistics;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;

/**
 * What one variant came to at one point, in all rounds. JMH adds up its samples at every question, so the answers are
 * kept. Immutable as seen from outside; not thread-safe.
 */
public final class Cell {
    private static final String WAIT = "wait.";

    private final Point point;
    private final String variant;
    private final List<BenchmarkResult> rounds;
    private @Nullable List<Map<String, Double>> scores;
    private @Nullable Map<String, Double> mergedScores;
    private @Nullable Map<String, Statistics> mergedStatistics;

    /**
     * @param point where
     * @param variant what
     * @param rounds JMH's result of each round, in order
     */
    public Cell(Point point, String variant, List<BenchmarkResult> rounds) {
        this.point = point;
        this.variant = variant;
        this.rounds = List.copyOf(rounds);
    }

    public Point point() {
        return point;
    }

    public String variant() {
        return variant;
    }

    public List<BenchmarkResult> rounds() {
        return rounds;
    }

    /** A metric's value of each round; empty where the benchmark has no such result. */
    public List<Double> perRound(String metric) {
        List<Double> values = new ArrayList<>();
        for (Map<String, Double> round : scores()) {
            Double value = round.get(metric);
            if (value != null) {
                values.add(value);
            }
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
        if (mergedStatistics == null) {
            Map<String, Statistics> statistics = new HashMap<>();
            merged().getSecondaryResults().forEach((label, result) -> statistics.put(label, result.getStatistics()));
            mergedStatistics = statistics;
        }
        return Optional.ofNullable(mergedStatistics.get(name));
    }

    /** Sampled wait events by name, such as {@code Lock:tuple}: how many sessions were in it at a time, on average. */
    public Map<String, Double> waits() {
        if (mergedScores == null) {
            mergedScores = scores(merged().getAggregatedResult());
        }
        Map<String, Double> waits = new TreeMap<>();
        mergedScores.forEach((label, score) -> {
            if (label.startsWith(WAIT)) {
                waits.put(label.substring(WAIT.length()), score);
            }
        });
        return waits;
    }

    /** A metric of each iteration of each round, one after the other. */
    public List<Double> timeline(String metric) {
        List<Double> values = new ArrayList<>();
        for (BenchmarkResult round : rounds) {
            for (IterationResult iteration : round.getIterationResults()) {
                values.add(scores(new BenchmarkResult(round.getParams(), List.of(iteration)))
                        .getOrDefault(metric, 0.0));
            }
        }
        return values;
    }

    /** All rounds as one result of JMH's, whose forks they are. */
    public RunResult merged() {
        return new RunResult(rounds.get(0).getParams(), rounds);
    }

    private List<Map<String, Double>> scores() {
        if (scores == null) {
            scores = rounds.stream().map(Cell::scores).toList();
        }
        return scores;
    }

    private static Map<String, Double> scores(BenchmarkResult result) {
        Map<String, Double> scores = new HashMap<>();
        result.getSecondaryResults().forEach((label, secondary) -> scores.put(label, secondary.getScore()));
        scores.put(Metric.SCORE, result.getPrimaryResult().getScore());
        return scores;
    }

    @Override
    public String toString() {
        return variant + " at " + point.label() + ", " + rounds.size() + " rounds";
    }
}
