package org.rowlock.jmh.scenario;

import java.util.Map;
import java.util.TreeMap;

/**
 * One of the compared variants, given by parameters of the benchmark.
 *
 * @param label the name as it is shown
 * @param params the parameters by name
 * @param isControl whether it does less than the others, as a read without a lock does; it is for comparison, and no
 *     gain
 */
public record Variant(String label, Map<String, String> params, boolean isControl) {
    static final String STRATEGY = "strategy";
    static final String ADMISSION = "admission";
    static final String ADMITTED = " + admission";

    /** Creates a variant of a strategy, such as {@code ADVISORY}. */
    public static Variant of(String strategy) {
        return new Variant(strategy, Map.of(STRATEGY, strategy), false);
    }

    /** Returns this variant with another parameter, and an addition to its label. */
    public Variant with(String more, String name, String value) {
        Map<String, String> all = new TreeMap<>(params);
        all.put(name, value);
        return new Variant(label + more, all, isControl);
    }

    /** The strategy; empty if the variant does not compare one. */
    public String strategy() {
        return params.getOrDefault(STRATEGY, "");
    }

    public boolean hasAdmission() {
        return Boolean.parseBoolean(params.get(ADMISSION));
    }
}
