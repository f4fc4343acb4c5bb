package org.rowlock.jmh.report;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.rowlock.jmh.run.ScenarioResult;

/**
 * A variant taken apart into its levers, as far as they are known here. Scenarios may have variants of their own.
 *
 * @param text as the scenario writes it
 * @param method in front of the levers, such as {@code ADVISORY}
 * @param pipelined whether the lock travels with the first statement
 * @param admission whether threads queue in the JVM
 */
record VariantName(String text, String method, boolean pipelined, boolean admission) {
    static final String ROW = "ROW";
    static final String BOTH = "BOTH";
    static final String ADVISORY = "ADVISORY";

    private static final Set<String> FOR_UPDATE = Set.of(ROW, "FOR_UPDATE", "SKIP_LOCKED");

    static VariantName of(String text) {
        List<String> parts = Arrays.asList(text.split("\\+"));
        List<String> levers = parts.stream()
                .skip(1)
                .map(lever -> lever.trim().toLowerCase(Locale.ROOT))
                .toList();
        String method = parts.isEmpty() ? text : parts.get(0).trim();
        return new VariantName(text, method, levers.contains("pipelined"), levers.contains("admission"));
    }

    /** The strategy alone, as it was compared in a scenario. */
    static Optional<String> plain(ScenarioResult result, String method) {
        return find(result, method, false, false);
    }

    static Optional<String> withAdmission(ScenarioResult result, String method) {
        return find(result, method, false, true);
    }

    private static Optional<String> find(ScenarioResult result, String method, boolean pipelined, boolean admission) {
        return result.variants().stream()
                .filter(variant -> {
                    VariantName name = of(variant);
                    return name.method.equals(method) && name.pipelined == pipelined && name.admission == admission;
                })
                .findFirst();
    }

    /** Whether it is the row lock alone, by Rowlock or by hand, without any lever: what a team that has not moved runs. */
    boolean isForUpdate() {
        return FOR_UPDATE.contains(method) && !pipelined && !admission;
    }

    /** Whether choosing it means to move off the row lock alone. */
    boolean isMove() {
        return method.equals(BOTH) || method.equals(ADVISORY);
    }
}
