package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.rowlock.jmh.report.Finding.Outcome;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Metric;

/**
 * What a scenario says about its variants, in words: all of them against its baseline, in its headline metric.
 *
 * @param kind in a word or two
 * @param sentences the verdict
 */
record ScenarioVerdict(Kind kind, List<String> sentences) {

    /** In short. */
    enum Kind {
        GAIN("Gain"),
        MIXED("Gains and losses"),
        LOSS("Loss"),
        SAME("No clear difference"),
        ONE_ROUND("One round only"),
        UNKNOWN("Cannot be judged");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    static ScenarioVerdict of(ScenarioResult result) {
        List<Finding> findings = headline(result);
        List<Finding> gains = findings.stream().filter(Finding::isGain).toList();
        List<Finding> losses = findings.stream().filter(Finding::isLoss).toList();
        Kind kind = kind(findings, gains, losses);
        List<String> sentences = new ArrayList<>();
        switch (kind) {
            case UNKNOWN -> sentences.add("Cannot be judged: " + whyUnknown(result));
            case SAME ->
                sentences.add("No clear difference: no variant was better, or worse, than "
                        + result.scenario().baseline() + " in every round and by more than noise.");
            default -> sentences.addAll(extremes(result, gains, losses));
        }
        if (kind != Kind.UNKNOWN) {
            Stream.of(levers(result), caution(findings, gains, losses), missing(result))
                    .filter(sentence -> !sentence.isEmpty())
                    .forEach(sentences::add);
        }
        return new ScenarioVerdict(kind, sentences);
    }

    String text() {
        return String.join(" ", sentences);
    }

    /** Every other variant against the baseline at every point, in the headline metric, as far as it can be judged. */
    static List<Finding> headline(ScenarioResult result) {
        return judged(result, result.scenario().headline());
    }

    static List<Finding> judged(ScenarioResult result, Metric metric) {
        String baseline = result.scenario().baseline();
        return result.variants().stream()
                .filter(variant -> !variant.equals(baseline))
                .flatMap(variant -> Course.of(result, metric, variant, baseline).findings().stream())
                .toList();
    }

    private static Kind kind(List<Finding> findings, List<Finding> gains, List<Finding> losses) {
        if (findings.isEmpty()) {
            return Kind.UNKNOWN;
        }
        if (findings.stream().allMatch(finding -> finding.rounds() < 2)) {
            return Kind.ONE_ROUND;
        }
        if (gains.isEmpty()) {
            return losses.isEmpty() ? Kind.SAME : Kind.LOSS;
        }
        return losses.isEmpty() ? Kind.GAIN : Kind.MIXED;
    }

    static String whyUnknown(ScenarioResult result) {
        String baseline = result.scenario().baseline();
        boolean hasBaseline =
                result.cells().stream().anyMatch(cell -> cell.variant().equals(baseline));
        String why = hasBaseline
                ? "no other variant has a " + result.scenario().headline().title() + " to compare with " + baseline
                : "there is no result of " + baseline + ", which the others are compared with";
        return why + ".";
    }

    private static List<String> extremes(ScenarioResult result, List<Finding> gains, List<Finding> losses) {
        String baseline = result.scenario().baseline();
        List<String> sentences = new ArrayList<>();
        gains.stream()
                .max(Comparator.comparingDouble(Finding::size))
                .ifPresent(best -> sentences.add(
                        "Most is gained by " + best.variant() + ": " + best.wordsAt() + ", against " + baseline + "."));
        losses.stream()
                .min(Comparator.comparingDouble(Finding::size))
                .ifPresent(worst -> sentences.add("Most is lost by " + worst.variant() + ": " + worst.wordsAt()
                        + (gains.isEmpty() ? ", against " + baseline : "") + "."));
        if (losses.isEmpty()) {
            sentences.add("Nothing loses.");
        } else if (gains.isEmpty()) {
            sentences.add("Nothing gains.");
        }
        return sentences;
    }

    private static String levers(ScenarioResult result) {
        return Levers.of(result).map(Levers::words).orElse("");
    }

    private static String caution(List<Finding> findings, List<Finding> gains, List<Finding> losses) {
        List<String> parts = new ArrayList<>();
        long same = findings.stream()
                .filter(finding -> finding.outcome() == Outcome.SAME)
                .count();
        if (same > 0 && !(gains.isEmpty() && losses.isEmpty())) {
            parts.add("Of " + Words.count(findings.size(), "comparison", "comparisons") + " " + same
                    + (same == 1 ? " shows" : " show") + " no clear difference.");
        }
        long open = findings.stream().filter(Finding::isOpen).count();
        if (open > 0) {
            parts.add("In " + open + " of these all rounds are on one side, and too far apart to exclude chance: more"
                    + " rounds, or a quieter machine, would tell.");
        }
        if (findings.stream().allMatch(finding -> finding.rounds() < 2)) {
            parts.add("There was one round only, so there is no spread to tell a difference from noise.");
        }
        return String.join(" ", parts);
    }

    /** Variants of the comparison without a result somewhere. */
    private static String missing(ScenarioResult result) {
        List<String> missing = result.variants().stream()
                .filter(variant -> result.points().stream()
                        .anyMatch(point -> result.cell(point, variant).isEmpty()))
                .toList();
        return missing.isEmpty() ? "" : "Without a result everywhere: " + Words.list(missing) + ".";
    }
}
