package org.rowlock.jmh.run;

import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.BenchmarkResult;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.scenario.Metric;

/**
 * The result of one measurement.
 *
 * @param figures the mean of each metric over its windows
 * @param course the score of each window
 */
public record Measurement(Map<String, Double> figures, List<Double> course) {
    /** The prefix of a figure that counts the sessions in a wait event. */
    static final String WAIT = "wait.";

    /** Converts JMH's result. If only some windows have a figure, the result is the mean over those windows. */
    static Measurement of(BenchmarkResult result) {
        List<Double> course = result.getIterationResults().stream()
                .map(window -> window.getPrimaryResult().getScore())
                .toList();
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(Metric.SCORE, mean(course));
        result.getSecondaryResults().forEach((label, secondary) -> figures.put(label, secondary.getScore()));
        return new Measurement(figures, course);
    }

    /** Converts the results of a slice. */
    static Measurement of(Published results, double roundTripMillis) {
        Map<String, Double> figures = new TreeMap<>();
        results.all().forEach((name, result) -> figures.put(name, result.getScore()));
        figures.put(Metric.SCORE, results.perSecond());
        figures.put("net.roundTrip", roundTripMillis);
        return new Measurement(figures, List.of(results.perSecond()));
    }

    double of(Metric metric) {
        return figures.getOrDefault(metric.key(), Double.NaN);
    }

    static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    }

    static Map<String, Double> means(List<Measurement> rounds) {
        Map<String, DoubleSummaryStatistics> values = new TreeMap<>();
        rounds.forEach(round -> round.figures()
                .forEach((key, value) -> values.computeIfAbsent(key, name -> new DoubleSummaryStatistics())
                        .accept(value)));
        Map<String, Double> means = new TreeMap<>();
        // If a wait event is missing in a round, its number of sessions was zero.
        values.forEach(
                (key, all) -> means.put(key, key.startsWith(WAIT) ? all.getSum() / rounds.size() : all.getAverage()));
        return means;
    }
}
