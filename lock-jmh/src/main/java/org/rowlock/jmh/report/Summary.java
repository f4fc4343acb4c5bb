package org.rowlock.jmh.report;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.run.Comparison;
import org.rowlock.jmh.run.Ratio;
import org.rowlock.jmh.run.Results;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The results as a table for the terminal. */
public final class Summary {
    private static final int NAME = 34;
    private static final int FIGURE = 16;
    private static final int RATIO = 26;
    private static final int CALL = 14;

    private Summary() {}

    public static String of(Results results) {
        StringBuilder text = new StringBuilder(String.format("%n%s%n", results.answer()));
        results.remarks()
                .forEach(remark -> text.append("  Note: ").append(remark).append(System.lineSeparator()));
        for (ScenarioResult scenario : results.scenarios()) {
            for (PointResult point : scenario.points()) {
                text.append(String.format(
                        Locale.ROOT,
                        "%n%s, %s, round trip %.2f ms: %s%s%n",
                        scenario.name(),
                        point.label(),
                        point.roundTripMillis(),
                        scenario.metrics().get(0).title(),
                        power(point)));
                text.append(table(scenario, point));
            }
        }
        text.append(System.lineSeparator())
                .append("Ratios: how many times as good as the first line, with the interval at 95 %; chance is"
                        + " estimated from all turns of the table, and the first line against itself (A/A) is to be"
                        + " close to 1.");
        // Whatever a server or a failure says, it must not steer the terminal.
        return text.toString().replaceAll("[\\p{Cntrl}&&[^\r\n]]", "?");
    }

    private static String power(PointResult point) {
        return point.smallestFound() == null
                ? ""
                : String.format(Locale.ROOT, " (finds differences from %.2fx on)", point.smallestFound());
    }

    private static TextTable table(ScenarioResult scenario, PointResult point) {
        TextTable table = TextTable.forColumns(
                new picocli.CommandLine.Help.ColorScheme.Builder(Ansi.OFF).build(),
                new Column(NAME, 2, Overflow.TRUNCATE),
                new Column(FIGURE, 2, Overflow.TRUNCATE),
                new Column(RATIO, 2, Overflow.TRUNCATE),
                new Column(CALL, 2, Overflow.TRUNCATE),
                new Column(UsageMessageSpec.DEFAULT_USAGE_WIDTH / 2, 2, Overflow.SPAN));
        for (VariantResult variant : point.variants()) {
            table.addRowValues(
                    variant.label(),
                    Comparison.figure(variant.rounds().stream()
                                    .mapToDouble(Double::doubleValue)
                                    .average()
                                    .orElse(Double.NaN))
                            + " "
                            + scenario.metrics().get(0).unit(),
                    ratio(variant.ratio()),
                    call(variant),
                    "limit: " + variant.limit());
            if (variant.kind() == Kind.BASELINE && point.again() != null) {
                table.addRowValues("  again (A/A)", "", ratio(point.again()), "", "");
            }
        }
        return table;
    }

    private static String ratio(@Nullable Ratio ratio) {
        return ratio == null ? "" : ratio.toString();
    }

    private static String call(VariantResult variant) {
        return variant.kind() == Kind.CONTROL
                ? "control"
                : variant.call() == null ? "" : variant.call().name().toLowerCase(Locale.ROOT);
    }
}
