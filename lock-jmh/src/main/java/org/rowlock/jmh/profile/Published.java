package org.rowlock.jmh.profile;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.ScalarResult;

/** The results of a window, which {@link PostgresProfiler} passes to JMH. Not thread-safe. */
public record Published(double seconds, double perSecond, Map<String, ScalarResult> all) {
    private static final AtomicReference<@Nullable Published> LATEST = new AtomicReference<>();

    public Published(double seconds, double perSecond) {
        this(seconds, perSecond, new TreeMap<>());
    }

    public void put(String name, double value, String unit) {
        all.put(name, new ScalarResult(name, value, unit, AggregationPolicy.AVG));
    }

    /** Makes these figures the results of the current iteration. */
    public void publish() {
        LATEST.set(this);
    }

    /** Returns the latest published results once, and an empty collection afterwards. */
    static Collection<ScalarResult> take() {
        Published latest = LATEST.getAndSet(null);
        return latest == null ? List.of() : latest.all.values();
    }
}
