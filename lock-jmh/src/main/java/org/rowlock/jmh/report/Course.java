package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.rowlock.jmh.report.Finding.Outcome;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;

/**
 * How a variant fares against another over the points of a scenario, in one metric.
 *
 * @param findings those that can be judged, in the order of the points
 */
record Course(ScenarioResult result, Metric metric, String variant, String baseline, List<Finding> findings) {

    static Course of(ScenarioResult result, Metric metric, String variant, String baseline) {
        List<Finding> findings = new ArrayList<>();
        for (Point point : result.points()) {
            Finding finding = Finding.of(result, metric, point, variant, baseline);
            if (finding.outcome() != Outcome.NONE) {
                findings.add(finding);
            }
        }
        return new Course(result, metric, variant, baseline, findings);
    }

    /** In the scenario's headline metric. */
    static Course of(ScenarioResult result, String variant, String baseline) {
        return of(result, result.scenario().headline(), variant, baseline);
    }

    /** Of two variants that may not be part of the comparison. */
    static Optional<Course> of(ScenarioResult result, Optional<String> variant, Optional<String> baseline) {
        return variant.isEmpty() || baseline.isEmpty()
                ? Optional.empty()
                : Optional.of(of(result, variant.get(), baseline.get())).filter(course -> !course.findings.isEmpty());
    }

    List<Finding> of(Outcome outcome) {
        return findings.stream().filter(finding -> finding.outcome() == outcome).toList();
    }

    List<Finding> gains() {
        return of(Outcome.GAIN);
    }

    List<Finding> losses() {
        return of(Outcome.LOSS);
    }

    List<Finding> material(Outcome outcome) {
        return of(outcome).stream().filter(Finding::isMaterial).toList();
    }

    boolean gainsSomewhere() {
        return !material(Outcome.GAIN).isEmpty();
    }

    /** Whether it gains somewhere, or would by what the rounds say that cannot exclude chance. */
    boolean mayGainSomewhere() {
        return gainsSomewhere() || findings.stream().anyMatch(finding -> finding.isOpen() && finding.size() > 0);
    }

    boolean losesSomewhere() {
        return !material(Outcome.LOSS).isEmpty();
    }

    Optional<Finding> best() {
        return findings.stream().max(Comparator.comparingDouble(Finding::size));
    }

    Optional<Finding> worst() {
        return findings.stream().min(Comparator.comparingDouble(Finding::size));
    }

    /** How much better over all points; larger is better. */
    double size() {
        return findings.stream().mapToDouble(Finding::size).average().orElse(Double.NEGATIVE_INFINITY);
    }

    /**
     * All of it in part of a sentence: {@code throughput 2.00x (1.93x to 2.10x) at 90 clients; loses: throughput 0.82x (0.80x
     * to 0.85x) at 2 clients; no clear difference at 10 clients}.
     */
    String words() {
        List<String> parts = new ArrayList<>();
        gains().stream()
                .max(Comparator.comparingDouble(Finding::size))
                .ifPresent(best -> parts.add(summary(best, gains(), "")));
        losses().stream()
                .min(Comparator.comparingDouble(Finding::size))
                .ifPresent(worst -> parts.add(summary(worst, losses(), "loses: ")));
        List<Finding> same = of(Outcome.SAME);
        if (!same.isEmpty()) {
            parts.add("no clear difference" + at(same));
        }
        return String.join("; ", parts);
    }

    private String summary(Finding extreme, List<Finding> all, String lead) {
        if (all.size() == 1) {
            return lead + extreme.wordsAt();
        }
        String most = extreme.words() + Words.at(result, List.of(extreme.point()));
        return lead + most + ", and " + (extreme.isGain() ? "a gain" : "a loss") + at(others(extreme, all)) + " too";
    }

    private List<Finding> others(Finding extreme, List<Finding> all) {
        return all.stream().filter(finding -> !finding.equals(extreme)).toList();
    }

    String at(List<Finding> some) {
        return Words.at(result, some.stream().map(Finding::point).toList());
    }
}
