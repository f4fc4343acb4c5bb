package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.rowlock.jmh.report.Failures.Failure;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Metric.Better;
import org.rowlock.jmh.scenario.Point;

/** The report in short, for a terminal: plain text of no more than 100 columns. */
public final class TerminalSummary {
    private static final int WIDTH = 100;
    private static final String HANGING = "  ";

    private final StringBuilder text = new StringBuilder();

    private TerminalSummary() {}

    /**
     * Per scenario a table of its headline metric and its verdict; then what failed, and the verdict over all, last, where
     * a terminal stands when it is done.
     */
    public static String of(RunResults results) {
        TerminalSummary summary = new TerminalSummary();
        results.results().forEach(summary::scenario);
        summary.failures(Failures.of(results));
        summary.overall(OverallVerdict.of(results));
        return summary.text.toString();
    }

    private void scenario(ScenarioResult result) {
        Metric metric = result.scenario().headline();
        wrapped("", result.scenario().name() + ": " + result.scenario().title());
        wrapped("  ", legend(result, metric));
        line("");
        table(result, metric).lines(WIDTH).forEach(this::line);
        line("");
        ScenarioVerdict.of(result).sentences().forEach(sentence -> wrapped("  ", sentence));
        result.remarks().forEach(remark -> wrapped("  ", "Note: " + remark));
        line("");
    }

    private static String legend(ScenarioResult result, Metric metric) {
        String unit = metric.unit().isEmpty() ? "" : ", " + metric.unit();
        String better = switch (metric.better()) {
            case HIGHER -> " (more is better)";
            case LOWER -> " (less is better)";
            case NEITHER -> "";
        };
        return metric.title() + unit + better + ", and its ratio to "
                + result.scenario().baseline()
                + " (least to most of any round)"
                + (metric.better() == Better.NEITHER ? "" : "; + gains, - loses, ~ no clear difference");
    }

    private static TextTable table(ScenarioResult result, Metric metric) {
        TextTable table = new TextTable().column(result.scenario().axis(), result.variants());
        for (Point point : result.points()) {
            List<Finding> findings = result.variants().stream()
                    .map(variant -> Finding.of(
                            result, metric, point, variant, result.scenario().baseline()))
                    .toList();
            table.column(point.label(), cells(result, findings));
        }
        return table;
    }

    private static List<String> cells(ScenarioResult result, List<Finding> findings) {
        List<String> values = findings.stream()
                .map(finding -> finding.value().map(Numbers::value).orElse("none"))
                .toList();
        int valueWidth = values.stream().mapToInt(String::length).max().orElse(0);
        List<String> cells = new ArrayList<>();
        for (int i = 0; i < findings.size(); i++) {
            Finding finding = findings.get(i);
            boolean compared = !finding.variant().equals(result.scenario().baseline()) && finding.ratio() != null;
            cells.add(String.format(Locale.ROOT, "%" + Math.max(1, valueWidth) + "s", values.get(i))
                    + (compared ? "  " + ratio(finding) : "")
                    + mark(finding));
        }
        return cells;
    }

    private static String ratio(Finding finding) {
        String spread = finding.spread().replace("x", "");
        return String.format(
                        Locale.ROOT,
                        "%6s",
                        finding.ratio() == null
                                ? ""
                                : Numbers.ratio(finding.ratio().mean()))
                + (spread.isEmpty() ? "" : " (" + spread + ")");
    }

    private static String mark(Finding finding) {
        if (finding.variant().equals(finding.baseline())) {
            return "";
        }
        return switch (finding.outcome()) {
            case GAIN -> " +";
            case LOSS -> " -";
            case SAME -> " ~";
            case NONE -> "";
        };
    }

    private void failures(Failures failures) {
        for (Failure failure : failures.all()) {
            wrapped("", "FAILED: " + failure.name() + ": " + failure.message());
        }
        if (failures.hasViolation()) {
            wrapped("", "AN INVARIANT WAS VIOLATED: a lock did not keep what it promises.");
        }
        if (!failures.all().isEmpty()) {
            line("");
        }
    }

    private void overall(OverallVerdict verdict) {
        wrapped("", verdict.answer().words());
        verdict.reasons().forEach(reason -> wrapped("  ", reason.text()));
    }

    private void wrapped(String indent, String words) {
        StringBuilder line = new StringBuilder(indent);
        // What a server says is no place for a terminal's control characters.
        for (String word : words.replaceAll("\\p{Cntrl}", " ").strip().split(" +", -1)) {
            if (!line.toString().isBlank() && line.length() + 1 + word.length() > WIDTH) {
                line(line.toString());
                line = new StringBuilder(HANGING);
            }
            line.append(line.toString().isBlank() ? "" : " ").append(word);
            while (line.length() > WIDTH) {
                line(line.substring(0, WIDTH));
                line = new StringBuilder(HANGING + line.substring(WIDTH));
            }
        }
        line(line.toString());
    }

    private void line(String line) {
        text.append(line).append('\n');
    }
}
