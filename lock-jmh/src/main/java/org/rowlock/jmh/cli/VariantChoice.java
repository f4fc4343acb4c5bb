package org.rowlock.jmh.cli;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.rowlock.jmh.bench.Variant;
import org.rowlock.jmh.bench.Variant.Method;
import org.rowlock.jmh.scenario.Scenario;

/**
 * Which variants of a scenario are run.
 *
 * @param strategies those wanted; all of them if empty
 * @param admission with, without or both
 */
record VariantChoice(Set<Method> strategies, Admission admission) {

    /**
     * Reads names as given to {@code --strategy}.
     *
     * @throws IllegalArgumentException if one is none; the message says which there are
     */
    static VariantChoice of(List<String> names, Admission admission) {
        Set<Method> strategies = EnumSet.noneOf(Method.class);
        for (String name : names) {
            String lower = name.trim().toLowerCase(Locale.ROOT);
            if (!NAMES.contains(lower)) {
                throw new IllegalArgumentException("There is no strategy '" + name + "'." + Nearest.guess(lower, NAMES)
                        + " There are: " + String.join(", ", NAMES) + ".");
            }
            strategies.add(Method.valueOf(lower.toUpperCase(Locale.ROOT)));
        }
        return new VariantChoice(strategies, admission);
    }

    /** As {@code --strategy} takes them. */
    static final List<String> NAMES = Arrays.stream(Method.values())
            .filter(method -> method != Method.NONE)
            .map(method -> method.name().toLowerCase(Locale.ROOT))
            .toList();

    /**
     * The scenario's variants that are wanted, and its baseline, without which there are no ratios. Variants that are no
     * strategies are all wanted. Empty if the scenario has none of those wanted.
     */
    List<String> of(Scenario scenario) {
        List<String> wanted =
                scenario.variants().stream().filter(this::isWanted).toList();
        if (wanted.isEmpty()) {
            return List.of();
        }
        return scenario.variants().stream()
                .filter(variant -> wanted.contains(variant) || variant.equals(scenario.baseline()))
                .toList();
    }

    private boolean isWanted(String name) {
        return parse(name)
                .map(variant -> (strategies.isEmpty() || strategies.contains(variant.method()))
                        && admission.includes(variant.admission()))
                .orElse(true);
    }

    private static Optional<Variant> parse(String name) {
        try {
            return Optional.of(Variant.parse(name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
