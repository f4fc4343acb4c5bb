package org.rowlock.jmh.profile;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What a workload has found out in a window, for {@link PostgresProfiler} to hand to JMH. For one thread. */
public final class Published {
    private static final AtomicReference<@Nullable Published> LATEST = new AtomicReference<>();

    private final double seconds;
    private final double perSecond;
    private final Map<String, Measured> results = new TreeMap<>();

    /**
     * @param seconds that the window was open
     * @param perSecond what was completed in it
     */
    public Published(double seconds, double perSecond) {
        this.seconds = seconds;
        this.perSecond = perSecond;
    }

    public double seconds() {
        return seconds;
    }

    public double perSecond() {
        return perSecond;
    }

    /** By name, to be added to. */
    public Map<String, Measured> all() {
        return results;
    }

    public void put(String name, double value, String unit) {
        results.put(name, new Measured(value, unit));
    }

    /** Makes them those of the iteration that is about to end. */
    public void publish() {
        LATEST.set(this);
    }

    /** Takes the latest; empty if there are none that were not taken. */
    static Map<String, Measured> take() {
        Published latest = LATEST.getAndSet(null);
        return latest == null ? Map.of() : latest.results;
    }
}
