package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.rowlock.jmh.report.Finding.Outcome;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;

/** The numbers behind the figures. */
final class Tables {
    private Tables() {}

    /** A metric per variant and point, with its ratio to the baseline. */
    static Table metric(VariantMarks marks, ScenarioResult result, Metric metric) {
        String baseline = result.scenario().baseline();
        List<Table.Row> rows = new ArrayList<>();
        for (String variant : result.variants()) {
            List<Table.Cell> cells = result.points().stream()
                    .map(point -> cell(Finding.of(result, metric, point, variant, baseline)))
                    .toList();
            boolean isBaseline = variant.equals(baseline);
            rows.add(new Table.Row(
                    variant, isBaseline ? "baseline" : "", marks.of(variant).css(), isBaseline, cells));
        }
        String caption = Words.sentence(Charts.unit(metric)) + better(metric);
        return new Table(caption, "variant", heads(result), rows);
    }

    static String better(Metric metric) {
        return switch (metric.better()) {
            case HIGHER -> " (more is better)";
            case LOWER -> " (less is better)";
            case NEITHER -> "";
        };
    }

    /** The levers of a scenario per point, and what the strategy adds to admission. */
    static Table levers(VariantMarks marks, Levers levers) {
        ScenarioResult result = levers.result();
        Metric metric = result.scenario().headline();
        List<Table.Row> rows = new ArrayList<>();
        for (String variant : LeverCharts.variants(result)) {
            rows.add(new Table.Row(
                    variant,
                    lever(VariantName.of(variant)) + ", against " + levers.row(),
                    marks.of(variant).css(),
                    false,
                    ratios(result, metric, variant, Optional.of(levers.row()))));
        }
        levers.onTop().ifPresent(course -> rows.add(against(marks, course, "strategy on top of admission")));
        levers.duel().ifPresent(course -> rows.add(against(marks, course, "lever against lever")));
        return new Table(Words.sentence(metric.title()) + " as a ratio" + better(metric), "lever", heads(result), rows);
    }

    private static Table.Row against(VariantMarks marks, Course course, String what) {
        return new Table.Row(
                course.variant(),
                what + ", against " + course.baseline(),
                marks.of(course.variant()).css(),
                false,
                ratios(course.result(), course.metric(), course.variant(), Optional.of(course.baseline())));
    }

    private static String lever(VariantName name) {
        if (!name.admission()) {
            return "strategy alone";
        }
        return name.isMove() ? "both levers" : "admission alone";
    }

    private static List<Table.Cell> ratios(
            ScenarioResult result, Metric metric, String variant, Optional<String> baseline) {
        List<Table.Cell> cells = new ArrayList<>();
        for (Point point : result.points()) {
            cells.add(baseline.map(other -> Finding.of(result, metric, point, variant, other))
                    .filter(finding -> finding.outcome() != Outcome.NONE)
                    .map(finding -> judged("", "", finding.amount(), finding.spread(), finding))
                    .orElse(Table.Cell.plain("–")));
        }
        return cells;
    }

    private static List<String> heads(ScenarioResult result) {
        return result.points().stream().map(point -> Words.point(result, point)).toList();
    }

    private static Table.Cell cell(Finding finding) {
        Optional<Double> value = finding.value();
        if (value.isEmpty()) {
            return Table.Cell.plain("–");
        }
        String shown = Numbers.value(value.get());
        String range = range(finding.values());
        if (finding.variant().equals(finding.baseline())) {
            return new Table.Cell(shown, range, "", "", "", "", "");
        }
        String ratio =
                finding.ratio() == null ? "" : Numbers.ratio(finding.ratio().mean());
        return judged(shown, range, ratio, finding.spread(), finding);
    }

    private static Table.Cell judged(String value, String range, String ratio, String spread, Finding finding) {
        Outcome outcome = finding.outcome();
        return new Table.Cell(
                value,
                range,
                ratio,
                spread,
                outcome == Outcome.NONE ? "" : outcome.name().toLowerCase(Locale.ROOT),
                mark(outcome),
                said(outcome));
    }

    private static String range(List<Double> values) {
        return values.size() < 2
                ? ""
                : Numbers.value(values.stream().min(Double::compare).orElseThrow()) + " to "
                        + Numbers.value(values.stream().max(Double::compare).orElseThrow());
    }

    static String mark(Outcome outcome) {
        return switch (outcome) {
            case GAIN -> "▲";
            case LOSS -> "▼";
            case SAME -> "≈";
            case NONE -> "";
        };
    }

    private static String said(Outcome outcome) {
        return switch (outcome) {
            case GAIN -> "better";
            case LOSS -> "worse";
            case SAME -> "no clear difference";
            case NONE -> "";
        };
    }
}
