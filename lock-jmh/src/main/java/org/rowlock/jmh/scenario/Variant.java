package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is compared: parameters of the benchmark.
 *
 * @param label as it is shown
 * @param params by name
 * @param isControl whether it does less than the others, as a read without a lock does: to compare with, and no gain
 */
public record Variant(String label, Map<String, String> params, boolean isControl) {
    static final String STRATEGY = "strategy";
    static final String ADMISSION = "admission";
    static final String ADMITTED = " + admission";

    /** Such as {@code ADVISORY}. */
    public static Variant of(String strategy) {
        return new Variant(strategy, Map.of(STRATEGY, strategy), false);
    }

    /** The same with another parameter, and more to its label. */
    public Variant with(String more, String name, String value) {
        Map<String, String> all = new TreeMap<>(params);
        all.put(name, value);
        return new Variant(label + more, all, isControl);
    }

    /** Empty where what is compared is no strategy. */
    public String strategy() {
        return params.getOrDefault(STRATEGY, "");
    }

    /** Whether it runs the library, and is not SQL by hand. */
    public boolean isOfLibrary() {
        return params.containsKey("wrapper")
                || List.of("ROW", "BOTH", "ADVISORY").contains(strategy());
    }

    public boolean hasAdmission() {
        return Boolean.parseBoolean(params.get(ADMISSION));
    }
}
