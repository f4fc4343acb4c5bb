package org.rowlock.jmh.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.AggregationPolicy;
import org.rowlock.jmh.profile.Gauge;

/** What was measured before, during and after the time in which something is held. Not thread-safe. */
final class HoldPhases {
    /** How much of the hold, at its end, stands for what it leads to. */
    private static final double LATE = 1 / 3.0;

    private final int iterations;
    private final int first;
    private final int end;
    private final Map<Phase, List<Double>> measured = new EnumMap<>(Phase.class);
    private int done;

    /** Where an iteration stands. */
    enum Phase {
        BEFORE,
        HELD,
        AFTER
    }

    /**
     * @param from the part of all iterations that has passed when the hold begins
     * @param until the part that has passed when it ends
     */
    HoldPhases(int iterations, double from, double until) {
        this.iterations = iterations;
        this.first = (int) (iterations * from);
        this.end = (int) Math.ceil(iterations * until);
    }

    /** Of the iteration that runs or comes next. */
    Phase current() {
        return done < first ? Phase.BEFORE : done < end ? Phase.HELD : Phase.AFTER;
    }

    /** To be called at the end of each iteration. */
    void measured(double perSecond) {
        measured.computeIfAbsent(current(), phase -> new ArrayList<>()).add(perSecond);
        done++;
        if (done == iterations) {
            measured.forEach((phase, rates) -> publish(phase, rates));
        }
    }

    private static void publish(Phase phase, List<Double> rates) {
        int skipped = phase == Phase.HELD ? (int) (rates.size() * (1 - LATE)) : 0;
        double mean = rates.stream()
                .skip(skipped)
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(0);
        String name = switch (phase) {
            case BEFORE -> "horizon.before";
            case HELD -> "horizon.held";
            case AFTER -> "horizon.after";
        };
        Gauge.set(name, mean, "tx/s", AggregationPolicy.MAX);
    }
}
