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
 * What a workload has found out in a window, for {@link PostgresProfiler} to hand to JMH. For one thread.
 *
 * @param seconds that the window was open
 * @param perSecond what was completed in it
 * @param all by name, to be added to
 */
public record Published(double seconds, double perSecond, Map<String, ScalarResult> all) {
    private static final AtomicReference<@Nullable Published> LATEST = new AtomicReference<>();

    /** Nothing but that, to begin with. */
    public Published(double seconds, double perSecond) {
        this(seconds, perSecond, new TreeMap<>());
    }

    /**
     * Adds a number, in place of another of the name.
     *
     * @param unit empty for none
     */
    public void put(String name, double value, String unit) {
        all.put(name, new ScalarResult(name, value, unit, AggregationPolicy.AVG));
    }

    /** Makes them those of the iteration that is about to end. */
    public void publish() {
        LATEST.set(this);
    }

    /** Takes the latest; empty if there are none that were not taken. */
    static Collection<ScalarResult> take() {
        Published latest = LATEST.getAndSet(null);
        return latest == null ? List.of() : latest.all.values();
    }
}
