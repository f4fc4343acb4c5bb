package org.rowlock.jmh.profile;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.ScalarResult;

/**
 * A number that says something about an iteration as a whole, such as how many dead row versions there are at its end.
 * The benchmark sets it before or in the iteration's tear-down; the {@link ClientProfiler} publishes it once. Thread-safe.
 */
public final class Gauge {
    private static final Map<String, Gauge> SET = new ConcurrentSkipListMap<>();

    private final double value;
    private final String unit;
    private final AggregationPolicy policy;

    private Gauge(double value, String unit, AggregationPolicy policy) {
        this.value = value;
        this.unit = unit;
        this.policy = policy;
    }

    /**
     * Sets the number of this iteration.
     *
     * @param policy how the numbers of several iterations become one; those that set none count as 0
     */
    public static void set(String name, double value, String unit, AggregationPolicy policy) {
        SET.put(name, new Gauge(value, unit, policy));
    }

    /** Takes what was set since the last time. */
    static Collection<ScalarResult> takeAll() {
        Collection<ScalarResult> taken = new ArrayList<>();
        for (String name : List.copyOf(SET.keySet())) {
            Gauge gauge = SET.remove(name);
            if (gauge != null) {
                taken.add(new ScalarResult(name, gauge.value, gauge.unit, gauge.policy));
            }
        }
        return taken;
    }
}
