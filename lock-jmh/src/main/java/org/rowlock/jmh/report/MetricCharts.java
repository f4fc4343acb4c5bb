package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.report.ChartSpec.Kind;
import org.rowlock.jmh.report.ChartSpec.Series;
import org.rowlock.jmh.report.Figure.LegendItem;
import org.rowlock.jmh.report.Figure.Panel;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Chart;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Metric.Better;
import org.rowlock.jmh.scenario.Point;

/** One metric over the points of a scenario. */
final class MetricCharts {
    /** Up to so many points each has a canvas of its own, where every bar stands beside its name. */
    private static final int PANELS = 4;

    /** From so wide a range on, times are shown on a logarithmic scale. */
    private static final double WIDE = 40;

    private static final int LINES_HEIGHT = 360;
    private static final int BAR_HEIGHT = 36;
    private static final int AXIS_HEIGHT = 56;

    private MetricCharts() {}

    /** A line per variant over the points. */
    static Optional<Figure> curve(Charts charts, ScenarioResult result, Chart chart) {
        Metric metric = Charts.metric(result, chart.metric());
        List<Series> series = series(charts, result, metric, result.points());
        if (series.isEmpty()) {
            return Optional.empty();
        }
        boolean log = metric.better() == Better.LOWER && isWide(series);
        String note = "The band is the least and the most of any round." + (log ? " Logarithmic scale." : "");
        return Optional.of(together(charts, result, chart, metric, Kind.LINES, series, log, note));
    }

    /** A bar per variant at each point. */
    static Optional<Figure> bars(Charts charts, ScenarioResult result, Chart chart) {
        Metric metric = Charts.metric(result, chart.metric());
        List<Point> points = result.points().stream()
                .filter(point -> result.variants().stream()
                        .anyMatch(variant -> result.cell(point, variant)
                                .flatMap(cell -> cell.mean(metric.key()))
                                .isPresent()))
                .toList();
        if (points.isEmpty()) {
            return Optional.empty();
        }
        String note = "The whisker is the least and the most of any round";
        if (points.size() > PANELS) {
            return Optional.of(together(
                    charts,
                    result,
                    chart,
                    metric,
                    Kind.GROUPS,
                    series(charts, result, metric, result.points()),
                    false,
                    note + "."));
        }
        List<Panel> panels = new ArrayList<>();
        double max = result.cells().stream()
                .flatMap(cell -> cell.perRound(metric.key()).stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        for (Point point : points) {
            panels.add(panel(charts, result, chart, metric, point, max));
        }
        return Optional.of(new Figure(
                chart.title(),
                note + ", the dashed line " + result.scenario().baseline() + ", and the ratio is to it.",
                panels,
                List.of(),
                List.of()));
    }

    private static Panel panel(
            Charts charts, ScenarioResult result, Chart chart, Metric metric, Point point, double max) {
        List<Series> series = series(charts, result, metric, List.of(point));
        Double baseline = result.cell(point, result.scenario().baseline())
                .flatMap(cell -> cell.mean(metric.key()))
                .orElse(null);
        String id = charts.nextId();
        charts.add(new ChartSpec(
                id,
                Kind.BARS,
                series.stream().map(bar -> Charts.lines(bar.name())).toList(),
                null,
                "",
                Charts.unit(metric),
                false,
                Charts.rounded(baseline),
                max == 0 ? null : Charts.rounded(max),
                series));
        String where = Words.at(result, List.of(point));
        return new Panel(
                id,
                result.points().size() == 1 ? "" : Words.point(result, point),
                "Bars: " + chart.title() + where + ", " + Charts.unit(metric) + ", a bar per variant. "
                        + spoken(series, metric),
                AXIS_HEIGHT + BAR_HEIGHT * series.size());
    }

    private static Figure together(
            Charts charts,
            ScenarioResult result,
            Chart chart,
            Metric metric,
            Kind kind,
            List<Series> series,
            boolean log,
            String note) {
        String id = charts.nextId();
        boolean numbers = kind == Kind.LINES && result.points().stream().allMatch(Words::isNumber);
        List<Double> xs = numbers
                ? result.points().stream()
                        .map(point -> Double.valueOf(point.label()))
                        .toList()
                : null;
        charts.add(new ChartSpec(
                id,
                kind,
                Charts.labels(result.points()),
                xs,
                result.scenario().axis(),
                Charts.unit(metric),
                log,
                null,
                null,
                series));
        List<LegendItem> legend = series.stream()
                .map(one -> charts.marks().of(one.name()))
                .map(kind == Kind.LINES ? LegendItem::line : LegendItem::area)
                .toList();
        String description = chart.title() + ": " + Charts.unit(metric) + " over "
                + result.scenario().axis() + ", per variant; the table of this scenario has the numbers";
        return new Figure(
                chart.title(), note, List.of(new Panel(id, "", description, LINES_HEIGHT)), legend, List.of());
    }

    /** A series per variant that has the metric at one of the points. */
    static List<Series> series(Charts charts, ScenarioResult result, Metric metric, List<Point> points) {
        List<Series> all = new ArrayList<>();
        for (String variant : result.variants()) {
            List<@Nullable Double> values = new ArrayList<>();
            List<@Nullable Double> low = new ArrayList<>();
            List<@Nullable Double> high = new ArrayList<>();
            List<String> notes = new ArrayList<>();
            for (Point point : points) {
                Optional<Cell> cell = result.cell(point, variant);
                values.add(Charts.rounded(cell.flatMap(found -> found.mean(metric.key()))));
                low.add(Charts.rounded(Charts.least(cell, metric.key())));
                high.add(Charts.rounded(Charts.most(cell, metric.key())));
                notes.add(note(result, metric, point, variant));
            }
            if (Collections.frequency(values, null) < values.size()) {
                all.add(Series.of(charts.marks().of(variant), values, low, high, notes));
            }
        }
        return all;
    }

    private static String note(ScenarioResult result, Metric metric, Point point, String variant) {
        String baseline = result.scenario().baseline();
        Finding finding = Finding.of(result, metric, point, variant, baseline);
        return variant.equals(baseline) || finding.ratio() == null
                ? ""
                : Numbers.ratio(finding.ratio().mean());
    }

    private static String spoken(List<Series> series, Metric metric) {
        List<String> values = new ArrayList<>();
        for (Series one : series) {
            Double value = one.values().get(0);
            if (value != null) {
                values.add(one.name() + " " + Numbers.value(value, metric));
            }
        }
        return String.join(", ", values) + ".";
    }

    private static boolean isWide(List<Series> series) {
        double least = Double.MAX_VALUE;
        double most = 0;
        for (Series one : series) {
            for (Double value : one.values()) {
                if (value != null) {
                    least = Math.min(least, value);
                    most = Math.max(most, value);
                }
            }
        }
        return least > 0 && most / least > WIDE;
    }
}
