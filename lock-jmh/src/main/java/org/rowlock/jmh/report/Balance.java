package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.rowlock.jmh.report.Finding.Outcome;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Metric;

/**
 * One side of what a scenario gains and loses. Both sides are made the same way.
 *
 * @param css its class
 * @param title above it
 * @param headline in the headline metric: an entry per variant, with where it differs the most
 * @param others in the other metrics: an entry per metric, with where it differs the most
 * @param nothing what to say where there is neither
 */
record Balance(String css, String title, List<Entry> headline, List<Entry> others, String nothing) {
    /**
     * A line of it.
     *
     * @param name a variant, or a metric
     * @param css of the swatch; empty for none
     * @param amount the most of it
     * @param spread of that; empty for none
     * @param where that is
     * @param also where there is more of it; empty for nowhere
     */
    record Entry(String name, String css, String amount, String spread, String where, String also) {}

    static Balance of(VariantMarks marks, ScenarioResult result, Outcome outcome) {
        List<Entry> headline = new ArrayList<>();
        for (String variant : result.variants()) {
            Course course = Course.of(result, variant, result.scenario().baseline());
            most(course.of(outcome))
                    .ifPresent(most -> headline.add(new Entry(
                            variant,
                            marks.of(variant).css(),
                            most.amount(),
                            most.spread(),
                            course.at(List.of(most)),
                            course.at(without(most, course.of(outcome))))));
        }
        List<Entry> others = new ArrayList<>();
        for (Metric metric : result.scenario().metrics()) {
            if (!metric.equals(result.scenario().headline())) {
                other(result, metric, outcome).ifPresent(others::add);
            }
        }
        String word = outcome == Outcome.GAIN ? "better" : "worse";
        return new Balance(
                outcome.name().toLowerCase(Locale.ROOT),
                (outcome == Outcome.GAIN ? "Gains" : "Losses") + " against "
                        + result.scenario().baseline(),
                headline,
                others,
                headline.isEmpty() && others.isEmpty() ? "Nothing was clearly " + word + "." : "");
    }

    boolean hasOthers() {
        return !others.isEmpty();
    }

    private static Optional<Entry> other(ScenarioResult result, Metric metric, Outcome outcome) {
        List<Finding> findings = ScenarioVerdict.judged(result, metric).stream()
                .filter(finding -> finding.outcome() == outcome)
                .toList();
        return most(findings).map(most -> {
            List<String> also = findings.stream()
                    .map(Finding::variant)
                    .filter(variant -> !variant.equals(most.variant()))
                    .distinct()
                    .toList();
            return new Entry(
                    Words.sentence(metric.title()),
                    "",
                    most.amount(),
                    most.spread(),
                    " by " + most.variant() + Words.at(result, List.of(most.point())),
                    also.isEmpty() ? "" : " by " + Words.list(also));
        });
    }

    private static Optional<Finding> most(List<Finding> findings) {
        return findings.stream().max(Comparator.comparingDouble(finding -> Math.abs(finding.size())));
    }

    private static List<Finding> without(Finding one, List<Finding> all) {
        return all.stream().filter(finding -> !finding.equals(one)).toList();
    }
}
