package org.rowlock.jmh.profile;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a workload has found out in a window, for {@link PostgresProfiler} to hand to JMH. For one thread.
 *
 * @param seconds that the window was open
 * @param perSecond what was completed in it
 * @param all by name, to be added to
 */
public record Published(double seconds, double perSecond, Map<String, Measured> all) {
    private static final AtomicReference<@Nullable Published> LATEST = new AtomicReference<>();

    /** Nothing but that, to begin with. */
    public Published(double seconds, double perSecond) {
        this(seconds, perSecond, new TreeMap<>());
    }

    /**
     * A number with its unit.
     *
     * @param unit empty for none
     */
    public record Measured(double value, String unit) {}

    public void put(String name, double value, String unit) {
        all.put(name, new Measured(value, unit));
    }

    /** Makes them those of the iteration that is about to end. */
    public void publish() {
        LATEST.set(this);
    }

    /** Takes the latest; empty if there are none that were not taken. */
    static Map<String, Measured> take() {
        Published latest = LATEST.getAndSet(null);
        return latest == null ? Map.of() : latest.all;
    }
}
