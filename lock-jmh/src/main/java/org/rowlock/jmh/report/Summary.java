package org.rowlock.jmh.report;

import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.run.Ratio;
import org.rowlock.jmh.run.Results;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.tool.Texts;

/** The results as a table for the terminal. */
public final class Summary {
    private static final String AGAIN = "  again (A/A)";

    private Summary() {}

    public static String of(Results results) {
        StringBuilder text = new StringBuilder(String.format("%n%s%n", results.answer()));
        results.remarks()
                .forEach(remark -> text.append("  Note: ").append(remark).append(System.lineSeparator()));
        for (ScenarioResult scenario : results.scenarios()) {
            for (PointResult point : scenario.points()) {
                text.append(String.format(
                        Locale.ROOT,
                        "%n%s, %s, round trip %.2f ms: %s%n",
                        scenario.name(),
                        point.label(),
                        point.roundTripMillis(),
                        scenario.metrics().get(0).title()));
                append(text, scenario, point);
            }
        }
        text.append(System.lineSeparator())
                .append(results.words().isEmpty() ? "" : results.words() + System.lineSeparator())
                .append("Ratios: how many times as good as the first line. ")
                .append(results.rules());
        // A name on the server or the message of a failure must not control the terminal.
        return text.toString().lines().map(Texts::printable).collect(Collectors.joining(System.lineSeparator()));
    }

    private static void append(StringBuilder text, ScenarioResult scenario, PointResult point) {
        int width = point.variants().stream()
                .mapToInt(variant -> variant.label().length())
                .max()
                .orElse(0);
        String line = "  %-" + Math.max(AGAIN.length(), width) + "s  %16s  %-26s  %-14s%s%n";
        for (VariantResult variant : point.variants()) {
            Metric headline = scenario.metrics().get(0);
            String figure = headline.shown(variant.figures().getOrDefault(headline.key(), Double.NaN));
            String call = variant.kind() == Kind.CONTROL
                    ? "control"
                    : variant.call() == null ? "" : variant.call().name().toLowerCase(Locale.ROOT);
            text.append(String.format(
                    line, variant.label(), figure, shown(variant.ratio()), call, "limit: " + variant.limit()));
            if (variant.kind() == Kind.BASELINE && point.again() != null) {
                text.append(String.format(line, AGAIN, "", shown(point.again()), "", ""));
            }
        }
    }

    private static String shown(@Nullable Ratio ratio) {
        return ratio == null ? "" : ratio.toString();
    }
}
