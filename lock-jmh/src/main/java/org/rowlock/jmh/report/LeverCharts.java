package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.report.ChartSpec.Kind;
import org.rowlock.jmh.report.ChartSpec.Series;
import org.rowlock.jmh.report.Figure.LegendItem;
import org.rowlock.jmh.report.Figure.Panel;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;

/** Strategy alone, admission alone and both beside each other, as ratios to the row lock. */
final class LeverCharts {
    private static final int PANELS = 4;
    private static final int LINES_HEIGHT = 340;
    private static final int BAR_HEIGHT = 36;
    private static final int AXIS_HEIGHT = 56;

    private LeverCharts() {}

    /** What is compared with the row lock, in this order. */
    static List<String> variants(ScenarioResult result) {
        return Stream.of(
                        VariantName.plain(result, VariantName.BOTH),
                        VariantName.plain(result, VariantName.ADVISORY),
                        VariantName.withAdmission(result, VariantName.ROW),
                        VariantName.withAdmission(result, VariantName.BOTH),
                        VariantName.withAdmission(result, VariantName.ADVISORY))
                .flatMap(Optional::stream)
                .toList();
    }

    static Figure of(Charts charts, Levers levers) {
        ScenarioResult result = levers.result();
        Metric metric = result.scenario().headline();
        String title = Words.sentence(metric.title()) + " as a ratio to ROW";
        String note = "1 is FOR UPDATE alone; "
                + (metric.better() == Metric.Better.LOWER ? "less is better." : "more is better.");
        if (result.points().size() > PANELS) {
            List<Series> series = series(charts, levers, result.points());
            String id = charts.nextId();
            // Between points that are no numbers a line would stand for nothing.
            boolean lines = result.points().stream().allMatch(Words::isNumber);
            charts.add(spec(id, lines ? Kind.LINES : Kind.GROUPS, result, metric, series));
            return new Figure(
                    title,
                    note,
                    List.of(new Panel(
                            id,
                            "",
                            title + " over " + result.scenario().axis() + "; the table below has the numbers",
                            LINES_HEIGHT)),
                    series.stream()
                            .map(one -> charts.marks().of(one.name()))
                            .map(lines ? LegendItem::line : LegendItem::area)
                            .toList(),
                    List.of());
        }
        List<Panel> panels = new ArrayList<>();
        for (Point point : result.points()) {
            List<Series> series = series(charts, levers, List.of(point));
            if (!series.isEmpty()) {
                String id = charts.nextId();
                charts.add(spec(id, Kind.BARS, result, metric, series));
                panels.add(new Panel(
                        id,
                        result.points().size() == 1 ? "" : Words.point(result, point),
                        "Bars: " + title + Words.at(result, List.of(point)) + "; the table below has the numbers",
                        AXIS_HEIGHT + BAR_HEIGHT * series.size()));
            }
        }
        return new Figure(title, note, panels, List.of(), List.of());
    }

    private static ChartSpec spec(String id, Kind kind, ScenarioResult result, Metric metric, List<Series> series) {
        boolean together = kind != Kind.BARS;
        return new ChartSpec(
                id,
                kind,
                together
                        ? Charts.labels(result.points())
                        : series.stream().map(bar -> Charts.lines(bar.name())).toList(),
                kind == Kind.LINES
                        ? result.points().stream()
                                .map(point -> Double.valueOf(point.label()))
                                .toList()
                        : null,
                together ? result.scenario().axis() : "",
                metric.title() + ", ratio to ROW",
                false,
                1.0,
                null,
                series);
    }

    private static List<Series> series(Charts charts, Levers levers, List<Point> points) {
        ScenarioResult result = levers.result();
        List<Series> all = new ArrayList<>();
        for (String variant : variants(result)) {
            List<@Nullable Double> values = new ArrayList<>();
            List<@Nullable Double> low = new ArrayList<>();
            List<@Nullable Double> high = new ArrayList<>();
            List<String> notes = new ArrayList<>();
            for (Point point : points) {
                var ratio = result.ratio(result.scenario().headline().key(), point, variant, levers.row());
                values.add(Charts.rounded(ratio.map(found -> found.mean())));
                low.add(Charts.rounded(ratio.map(found -> found.least())));
                high.add(Charts.rounded(ratio.map(found -> found.most())));
                notes.add(ratio.map(found -> Numbers.ratio(found.mean())).orElse(""));
            }
            if (values.stream().anyMatch(Objects::nonNull)) {
                all.add(Series.of(charts.marks().of(variant), values, low, high, notes));
            }
        }
        return all;
    }
}
