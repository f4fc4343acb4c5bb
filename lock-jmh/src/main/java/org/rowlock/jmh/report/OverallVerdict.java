package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.rowlock.jmh.report.Advice.Reason;
import org.rowlock.jmh.report.Finding.Outcome;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;

/**
 * Should we move off FOR UPDATE, for which tables, what is gained and what is lost: as far as the results say.
 *
 * @param answer in short
 * @param reasons what it rests on
 * @param advices of each scenario that has a say
 * @param gained the most that a strategy alone gains, per scenario
 * @param lost the most that a strategy alone loses, per scenario
 */
record OverallVerdict(
        Answer answer, List<Reason> reasons, List<Advice> advices, List<Finding> gained, List<Finding> lost) {

    /** In short. */
    enum Answer {
        YES("Yes: move off FOR UPDATE."),
        PARTLY("Yes, but not everywhere: move off FOR UPDATE where it gains, and keep it where it loses."),
        ADMISSION("Not first: keep FOR UPDATE, and turn on admission."),
        NO("No: stay on FOR UPDATE."),
        SAME("There is no reason to move: in what decides, nothing here is clearly better than FOR UPDATE."),
        UNSETTLED("These results cannot settle it."),
        VIOLATED("Do not decide on these results: a lock did not hold.");

        private final String words;

        Answer(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    static OverallVerdict of(RunResults results) {
        List<Advice> advices = results.results().stream()
                .map(Advice::of)
                .flatMap(Optional::stream)
                .toList();
        Failures failures = Failures.of(results);
        List<Finding> gained = extremes(advices, Outcome.GAIN);
        List<Finding> lost = extremes(advices, Outcome.LOSS);
        Map<Advice.Kind, List<Advice>> byKind = new EnumMap<>(Advice.Kind.class);
        advices.forEach(advice ->
                byKind.computeIfAbsent(advice.kind(), kind -> new ArrayList<>()).add(advice));
        List<Reason> reasons = new ArrayList<>(tables(byKind));
        reasons.addAll(most(gained, lost));
        levers(advices).ifPresent(reasons::add);
        caution(advices, failures).ifPresent(reasons::add);
        return new OverallVerdict(answer(byKind, failures, isRestless(advices)), reasons, advices, gained, lost);
    }

    String text() {
        return answer.words() + " "
                + String.join(" ", reasons.stream().map(Reason::text).toList());
    }

    private static Answer answer(Map<Advice.Kind, List<Advice>> byKind, Failures failures, boolean restless) {
        if (failures.hasViolation()) {
            return Answer.VIOLATED;
        }
        boolean moves = byKind.containsKey(Advice.Kind.MOVE);
        boolean depends = byKind.containsKey(Advice.Kind.DEPENDS);
        boolean stays = byKind.containsKey(Advice.Kind.STAY);
        boolean admission = byKind.containsKey(Advice.Kind.ADMISSION);
        if (moves || depends) {
            return depends || stays || admission ? Answer.PARTLY : Answer.YES;
        }
        if (admission) {
            return Answer.ADMISSION;
        }
        if (stays) {
            return Answer.NO;
        }
        // Nothing clear, where the rounds are too far apart to show anything or a part is missing, is no finding.
        return byKind.containsKey(Advice.Kind.SAME) && !byKind.containsKey(Advice.Kind.UNKNOWN) && !restless
                ? Answer.SAME
                : Answer.UNSETTLED;
    }

    private static boolean isRestless(List<Advice> advices) {
        return Unrest.of(advices).isPresent()
                || advices.stream()
                        .flatMap(advice -> ScenarioVerdict.headline(advice.result()).stream())
                        .anyMatch(Finding::isOpen);
    }

    private static List<Reason> tables(Map<Advice.Kind, List<Advice>> byKind) {
        List<Reason> reasons = new ArrayList<>();
        byKind.forEach((kind, advices) -> reasons.add(new Reason(
                kind.words(),
                String.join(
                                "; ",
                                advices.stream()
                                        .map(advice -> lower(TableKinds.of(
                                                        advice.result().scenario()))
                                                + " ("
                                                + advice.result().scenario().name() + ")")
                                        .toList())
                        + ".")));
        if (byKind.isEmpty()) {
            reasons.add(new Reason("Nothing to go by", "no scenario compares a strategy with FOR UPDATE."));
        }
        return reasons;
    }

    private static String lower(String words) {
        return words.length() > 1 && Character.isLowerCase(words.charAt(1))
                ? Character.toLowerCase(words.charAt(0)) + words.substring(1)
                : words;
    }

    private static List<Reason> most(List<Finding> gained, List<Finding> lost) {
        List<Reason> reasons = new ArrayList<>();
        gained.stream()
                .filter(OverallVerdict::isHeadline)
                .findFirst()
                .ifPresent(finding -> reasons.add(new Reason("Most gained", inItsScenario(finding) + ".")));
        lost.stream()
                .filter(OverallVerdict::isHeadline)
                .findFirst()
                .ifPresent(finding -> reasons.add(new Reason("Most lost", inItsScenario(finding) + ".")));
        if (!gained.isEmpty() && lost.isEmpty()) {
            reasons.add(new Reason("Most lost", "no strategy alone loses anything of 5 % or more in these scenarios."));
        }
        return reasons;
    }

    private static boolean isHeadline(Finding finding) {
        return finding.metric().equals(finding.result().scenario().headline());
    }

    private static String inItsScenario(Finding finding) {
        return finding.wordsAt() + " by " + finding.variant() + " in "
                + finding.result().scenario().name();
    }

    private static Optional<Reason> levers(List<Advice> advices) {
        List<Finding> duels = new ArrayList<>();
        List<Finding> onTop = new ArrayList<>();
        for (Advice advice : advices) {
            Levers.of(advice.result()).ifPresent(levers -> {
                levers.duel().ifPresent(course -> duels.addAll(course.findings()));
                levers.onTop().ifPresent(course -> onTop.addAll(course.findings()));
            });
        }
        return duels.isEmpty()
                ? Optional.empty()
                : Optional.of(new Reason(
                        "Which lever",
                        "of " + Words.count(duels.size(), "place", "places")
                                + " with each lever alone, the strategy did more at " + count(duels, Outcome.GAIN)
                                + ", admission at " + count(duels, Outcome.LOSS) + ", with no clear difference at "
                                + count(duels, Outcome.SAME) + "; with admission on, the strategy still gained at "
                                + count(onTop, Outcome.GAIN) + " of " + onTop.size() + " and lost at "
                                + count(onTop, Outcome.LOSS) + "."));
    }

    private static long count(List<Finding> findings, Outcome outcome) {
        return findings.stream().filter(finding -> finding.outcome() == outcome).count();
    }

    private static Optional<Reason> caution(List<Advice> advices, Failures failures) {
        List<String> parts = new ArrayList<>();
        List<Finding> all = advices.stream()
                .flatMap(advice -> ScenarioVerdict.headline(advice.result()).stream())
                .toList();
        long single = all.stream().filter(finding -> finding.rounds() < 2).count();
        if (single > 0) {
            parts.add((single == all.size() ? "all " : single + " of ") + all.size()
                    + " comparisons are of one round only, where nothing tells a difference from noise");
        }
        long open = all.stream().filter(Finding::isOpen).count();
        if (open > 0) {
            parts.add(open + " of " + all.size() + " comparisons are on one side in every round, and too far apart to"
                    + " exclude chance");
        }
        Unrest.of(advices).ifPresent(parts::add);
        if (!failures.all().isEmpty()) {
            parts.add(Words.count(failures.all().size(), "failure is", "failures are") + " left out: "
                    + Words.list(failures.names()));
        }
        return parts.isEmpty() ? Optional.empty() : Optional.of(new Reason("Caution", String.join("; ", parts) + "."));
    }

    /** Per scenario the most extreme in its headline and the most extreme in another metric; material ones only. */
    private static List<Finding> extremes(List<Advice> advices, Outcome outcome) {
        Comparator<Finding> bySize = Comparator.comparingDouble(finding -> -Math.abs(finding.size()));
        List<Finding> headlines = new ArrayList<>();
        List<Finding> others = new ArrayList<>();
        for (Advice advice : advices) {
            ScenarioResult result = advice.result();
            result.scenario().metrics().stream()
                    .map(metric -> ScenarioVerdict.judged(result, metric).stream()
                            .filter(finding -> finding.outcome() == outcome && finding.isMaterial())
                            .filter(finding -> isStrategyAlone(finding.variant()))
                            .min(bySize))
                    .flatMap(Optional::stream)
                    .sorted(bySize)
                    .forEach(finding -> (isHeadline(finding) ? headlines : others).add(finding));
        }
        headlines.sort(bySize);
        others.sort(bySize);
        List<Finding> all = new ArrayList<>(headlines);
        for (Advice advice : advices) {
            others.stream()
                    .filter(finding -> finding.result().equals(advice.result()))
                    .findFirst()
                    .ifPresent(all::add);
        }
        return all;
    }

    private static boolean isStrategyAlone(String variant) {
        VariantName name = VariantName.of(variant);
        return name.isMove() && !name.admission();
    }
}
