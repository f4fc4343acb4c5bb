package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;

/** Summarizes a comparison in a few sentences: the recommended variant, its gain, and the confidence. */
public final class Answer {
    /** The largest share of the machine that other programs may use in a valid comparison. */
    public static final double MOST_OF_OTHERS = 0.1;

    private static final String SURE = " With 99 % confidence, all verdicts of this page are right.";

    private static final List<String> WORDS = List.of(
            "FOR_UPDATE is SELECT ... FOR UPDATE by hand.",
            "ROW is SELECT ... FOR UPDATE by Rowlock.",
            "BOTH is an advisory lock before the row lock.",
            "ADVISORY is the advisory lock alone.",
            "IN_FRONT is an advisory lock before FOR UPDATE, by hand.",
            "NAIVE is an advisory lock alone, by hand in a statement of its own.",
            "OPTIMISTIC is a version column with retries, by hand.",
            "admission means that threads queue in their JVM before they borrow a connection.");

    private record Compared(ScenarioResult scenario, PointResult point, VariantResult variant) {
        boolean is(Call call) {
            return variant.call() == call;
        }

        String gain() {
            return variant.ratio() + " of " + scenario.baseline() + " (" + scenario.name() + ": " + point.label() + ")";
        }

        /** The interval's bound that is closest to 1, as a logarithm; 0 unless the verdict is better or worse. */
        double weight() {
            Ratio ratio = variant.ratio();
            return ratio == null
                    ? 0
                    : is(Call.BETTER) ? Math.log(ratio.low()) : is(Call.WORSE) ? Math.log(ratio.high()) : 0;
        }
    }

    private Answer() {}

    public static String of(List<ScenarioResult> scenarios) {
        List<Compared> all = new ArrayList<>();
        for (ScenarioResult scenario : scenarios) {
            for (PointResult point : scenario.points()) {
                point.variants().stream()
                        .filter(variant -> variant.kind() == Kind.VARIANT)
                        .forEach(variant -> all.add(new Compared(scenario, point, variant)));
            }
        }
        if (all.isEmpty()) {
            return "Nothing can be said: no variant was compared with the baseline.";
        }
        all.removeIf(each -> each.variant().call() == null);
        if (all.isEmpty()) {
            return "Nothing can be said: no variant besides the baseline has enough rounds. Give more --rounds.";
        }
        double others = all.stream()
                .filter(each -> each.is(Call.DISTURBED))
                .mapToDouble(each -> Rounds.othersShare(each.variant()))
                .max()
                .orElse(0);
        if (all.stream().allMatch(each -> each.is(Call.DISTURBED))) {
            return String.format(
                    Locale.ROOT,
                    "Nothing can be said: other programs took %.0f %% of this machine. Run it again on a quiet"
                            + " machine.",
                    100 * others);
        }
        long silent = all.stream().filter(each -> each.is(Call.DISTURBED)).count();
        return found(all)
                + (silent == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                " Nothing can be said of %d comparison(s): other programs took up to %.0f %% of this"
                                        + " machine.",
                                silent,
                                100 * others));
    }

    static String words(List<ScenarioResult> scenarios) {
        String labels = scenarios.stream()
                .flatMap(scenario -> scenario.points().stream())
                .flatMap(point -> point.variants().stream())
                .map(VariantResult::label)
                .collect(Collectors.joining(" "));
        return WORDS.stream()
                .filter(word -> Pattern.compile("\\b" + word.split(" ", 2)[0] + "\\b")
                        .matcher(labels)
                        .find())
                .collect(Collectors.joining(" "));
    }

    private static String found(List<Compared> all) {
        return byVariant(all).entrySet().stream()
                .filter(each -> weight(each.getValue()) > 0)
                .max(Comparator.comparingDouble(each -> weight(each.getValue())))
                .map(best -> use(best.getKey(), best.getValue()) + alike(all, best.getKey()) + SURE)
                .orElseGet(() -> keep(all));
    }

    private static double weight(List<Compared> compared) {
        return compared.stream().mapToDouble(Compared::weight).sum();
    }

    private static String use(String label, List<Compared> compared) {
        List<Compared> better = with(compared, Call.BETTER);
        List<Compared> worse = with(compared, Call.WORSE);
        long others = compared.stream()
                .filter(each -> each.is(Call.EQUIVALENT) || each.is(Call.INCONCLUSIVE))
                .count();
        return "Use " + label + ": " + gains(better) + "."
                + (worse.isEmpty() ? "" : " It is worse: " + gains(worse) + ".")
                + (others == 0 ? "" : " No difference was found in " + others + " more comparison(s).");
    }

    /** Names the variants whose intervals overlap those of the best variant wherever both are better. */
    private static String alike(List<Compared> all, String best) {
        Map<PointResult, Ratio> ofBest = new LinkedHashMap<>();
        with(all, Call.BETTER).stream()
                .filter(each -> each.variant().label().equals(best))
                .forEach(each -> ofBest.put(
                        each.point(), Objects.requireNonNull(each.variant().ratio())));
        List<String> labels = byVariant(with(all, Call.BETTER)).entrySet().stream()
                .filter(each -> !each.getKey().equals(best)
                        && each.getValue().stream().anyMatch(it -> ofBest.containsKey(it.point()))
                        && each.getValue().stream()
                                .allMatch(it -> overlap(it.variant().ratio(), ofBest.get(it.point()))))
                .map(Map.Entry::getKey)
                .toList();
        return labels.isEmpty() ? "" : " As good within the intervals: " + String.join("; ", labels) + ".";
    }

    private static boolean overlap(@Nullable Ratio one, @Nullable Ratio other) {
        return one == null || other == null || (one.low() <= other.high() && other.low() <= one.high());
    }

    private static String keep(List<Compared> all) {
        StringBuilder worse = new StringBuilder();
        byVariant(with(all, Call.WORSE))
                .forEach((label, compared) -> worse.append(" " + label + " is worse: ")
                        .append(gains(compared))
                        .append('.'));
        return "Nothing was found: no variant is better overall."
                + (worse.isEmpty() ? " More rounds (--rounds) find smaller differences." : worse + SURE);
    }

    private static Map<String, List<Compared>> byVariant(List<Compared> all) {
        return all.stream()
                .collect(
                        Collectors.groupingBy(each -> each.variant().label(), LinkedHashMap::new, Collectors.toList()));
    }

    /** Describes the largest difference, and the range of the other differences. */
    private static String gains(List<Compared> compared) {
        List<Compared> ordered = compared.stream()
                .sorted(Comparator.comparingDouble(each -> -Math.abs(each.weight())))
                .toList();
        if (ordered.size() == 1) {
            return ordered.get(0).gain();
        }
        DoubleSummaryStatistics rest = ordered.stream()
                .skip(1)
                .map(each -> each.variant().ratio())
                .filter(Objects::nonNull)
                .mapToDouble(Ratio::mean)
                .summaryStatistics();
        String least = Ratio.digits(rest.getMin()) + "x";
        String most = Ratio.digits(rest.getMax()) + "x";
        return ordered.get(0).gain() + "; in " + (ordered.size() - 1) + " more, "
                + (least.equals(most) ? least : least + " to " + most);
    }

    private static List<Compared> with(List<Compared> compared, Call call) {
        return compared.stream().filter(each -> each.is(call)).toList();
    }
}
