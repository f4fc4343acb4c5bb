package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.rowlock.jmh.scenario.Metric;

/**
 * What one fork measured.
 *
 * @param figures by metric, the mean over its windows
 * @param course the score of each window
 */
record Measurement(Map<String, Double> figures, List<Double> course) {

    /** Of JMH's result. A figure that only some windows have is the mean of those. */
    static Measurement of(BenchmarkResult result) {
        Map<String, List<Double>> values = new LinkedHashMap<>();
        List<Double> course = new ArrayList<>();
        for (IterationResult window : result.getIterationResults()) {
            course.add(window.getPrimaryResult().getScore());
            window.getSecondaryResults()
                    .forEach((label, secondary) -> values.computeIfAbsent(label, key -> new ArrayList<>())
                            .add(secondary.getScore()));
        }
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(Metric.SCORE, mean(course));
        values.forEach((label, all) -> figures.put(label, mean(all)));
        return new Measurement(figures, course);
    }

    static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    }
}
