package org.rowlock.jmh.profile;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.ScalarResult;

/**
 * The results of a workload in a window, which {@link PostgresProfiler} hands to JMH. An instance belongs to one
 * thread.
 *
 * @param seconds how long the window was open
 * @param perSecond the rate of completions in it
 * @param all the results by name; more can be added
 */
public record Published(double seconds, double perSecond, Map<String, ScalarResult> all) {
    private static final AtomicReference<@Nullable Published> LATEST = new AtomicReference<>();

    /** Creates results that have only the rate. */
    public Published(double seconds, double perSecond) {
        this(seconds, perSecond, new TreeMap<>());
    }

    /**
     * Adds a number, and replaces another of the same name.
     *
     * @param unit the unit; empty for none
     */
    public void put(String name, double value, String unit) {
        all.put(name, new ScalarResult(name, value, unit, AggregationPolicy.AVG));
    }

    /** Makes these the results of the iteration that is about to end. */
    public void publish() {
        LATEST.set(this);
    }

    /** Takes the latest results; empty if they were already taken. */
    static Collection<ScalarResult> take() {
        Published latest = LATEST.getAndSet(null);
        return latest == null ? List.of() : latest.all.values();
    }
}
