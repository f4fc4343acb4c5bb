package org.rowlock.jmh.scenario;

import java.util.Map;
import java.util.TreeMap;

/**
 * A compared variant: a label and parameters of the benchmark.
 *
 * @param isControl whether the variant does less than the others, such as a read without a lock, and only shows an
 *     upper limit
 */
public record Variant(String label, Map<String, String> params, boolean isControl) {
    static final String STRATEGY = "strategy";
    static final String ADMISSION = "admission";
    static final String ADMITTED = " + admission";

    public static Variant of(String strategy) {
        return new Variant(strategy, Map.of(STRATEGY, strategy), false);
    }

    Variant with(String name, String value) {
        Map<String, String> all = new TreeMap<>(params);
        all.put(name, value);
        return new Variant(label, all, isControl);
    }

    /** The name of the API by which the variant runs its transaction; empty if the benchmark has only one. */
    public String door() {
        return params.getOrDefault("door", "");
    }

    public String strategy() {
        return params.getOrDefault(STRATEGY, "");
    }

    public boolean isCalled(String name) {
        return !name.isBlank()
                && (name.strip().equalsIgnoreCase(label) || name.strip().equalsIgnoreCase(door()));
    }
}
