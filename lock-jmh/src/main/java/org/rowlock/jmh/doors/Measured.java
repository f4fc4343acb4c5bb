package org.rowlock.jmh.doors;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.bench.Door;
import org.rowlock.jmh.profile.Processors.Taken;
import org.rowlock.jmh.run.Ratio;

/**
 * A variant and its measurements.
 *
 * @param family the family within which variants are compared: {@link #JDBC} or {@link #JPA}
 * @param isBaseline whether the variant is the baseline of the ratios
 * @param isAgain whether the variant is the second run of the baseline, which is compared with the first
 */
record Measured(
        String family,
        Door door,
        boolean isBaseline,
        boolean isAgain,
        Map<Integer, Crowd.Sliced> slices,
        Crowd.Latencies latencies) {
    static final String JDBC = "doors";
    static final String JPA = "doors-jpa";

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MICROS_PER_SECOND = 1e6;

    Measured(String family, Door door, boolean isBaseline, boolean isAgain) {
        this(family, door, isBaseline, isAgain, new TreeMap<>(), new Crowd.Latencies());
    }

    /** Returns the geometric mean of the ratios to the baseline in each round; null with fewer than two rounds. */
    @Nullable
    Ratio to(Measured baseline) {
        return Ratio.ofLogarithms(slices.entrySet().stream()
                        .filter(each -> baseline.slices.containsKey(each.getKey()))
                        .map(each -> Math.log(each.getValue().perSecond()
                                / Objects.requireNonNull(baseline.slices.get(each.getKey()))
                                        .perSecond()))
                        .filter(Double::isFinite)
                        .toList())
                .orElse(null);
    }

    Taken taken() {
        return slices.values().stream().map(Crowd.Sliced::taken).reduce(Taken.NOTHING, Taken::and);
    }

    Map<String, Double> figures() {
        Map<String, Double> figures = new TreeMap<>();
        figures.put("score", mean(Crowd.Sliced::perSecond));
        if (latencies.reads().getTotalCount() > 0) {
            figures.put("readers.rate", mean(Crowd.Sliced::readsPerSecond));
        }
        long trips =
                slices.values().stream().mapToLong(Crowd.Sliced::roundTrips).sum();
        long completed =
                slices.values().stream().mapToLong(Crowd.Sliced::completed).sum();
        if (trips > 0 && completed > 0) {
            figures.put("roundTrips", (double) trips / completed);
        }
        put(figures, "transaction", latencies.changes());
        put(figures, "readers", latencies.reads());
        Taken taken = taken();
        if (completed > 0) {
            figures.put("client.micros", MICROS_PER_SECOND * taken.client() / completed);
            if (taken.server() > 0) {
                figures.put("server.micros", MICROS_PER_SECOND * taken.server() / completed);
            }
        }
        figures.put("cpu.client", taken.client() / taken.seconds());
        figures.put("cpu.server", taken.server() / taken.seconds());
        figures.put("cpu.machine", taken.machine() / taken.seconds());
        figures.put("others", 100 * taken.othersShare());
        figures.put("cpu.cores", (double) Runtime.getRuntime().availableProcessors());
        return figures;
    }

    private double mean(ToDoubleFunction<Crowd.Sliced> figure) {
        return slices.values().stream().mapToDouble(figure).average().orElse(0);
    }

    private static void put(Map<String, Double> figures, String name, Histogram latencies) {
        if (latencies.getTotalCount() > 0) {
            figures.put(name + ".p50", latencies.getValueAtPercentile(50) / NANOS_PER_MILLI);
            figures.put(name + ".p99", latencies.getValueAtPercentile(99) / NANOS_PER_MILLI);
        }
    }
}
