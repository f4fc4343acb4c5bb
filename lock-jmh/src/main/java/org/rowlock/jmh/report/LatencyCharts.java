package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.util.Statistics;
import org.rowlock.jmh.report.ChartSpec.Kind;
import org.rowlock.jmh.report.ChartSpec.Series;
import org.rowlock.jmh.report.Figure.LegendItem;
import org.rowlock.jmh.report.Figure.Panel;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Chart;
import org.rowlock.jmh.scenario.Point;

/** A latency's percentiles, a canvas per point. */
final class LatencyCharts {
    private static final List<Double> PERCENTILES = List.of(50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99);
    private static final int HEIGHT = 320;

    private LatencyCharts() {}

    static Optional<Figure> percentiles(Charts charts, ScenarioResult result, Chart chart) {
        List<Panel> panels = new ArrayList<>();
        List<Table> tables = new ArrayList<>();
        Map<String, LegendItem> legend = new LinkedHashMap<>();
        for (Point point : result.points()) {
            Map<String, Statistics> latencies = new LinkedHashMap<>();
            for (String variant : result.variants()) {
                result.cell(point, variant)
                        .flatMap(cell -> cell.latency(chart.metric()))
                        .ifPresent(statistics -> latencies.put(variant, statistics));
            }
            if (!latencies.isEmpty()) {
                panels.add(panel(charts, result, chart, point, latencies));
                tables.add(table(charts, result, chart, point, latencies));
                latencies
                        .keySet()
                        .forEach(variant -> legend.put(
                                variant, LegendItem.line(charts.marks().of(variant))));
            }
        }
        return panels.isEmpty()
                ? Optional.empty()
                : Optional.of(new Figure(
                        chart.title(),
                        "All samples of all rounds; a percentile is left out where there are too few samples for it."
                                + " Logarithmic scale.",
                        panels,
                        List.copyOf(legend.values()),
                        tables));
    }

    private static Panel panel(
            Charts charts, ScenarioResult result, Chart chart, Point point, Map<String, Statistics> latencies) {
        List<Series> series = new ArrayList<>();
        latencies.forEach((variant, statistics) -> {
            List<@Nullable Double> values = new ArrayList<>();
            for (double percentile : PERCENTILES) {
                values.add(
                        isKnown(statistics, percentile) ? Charts.rounded(statistics.getPercentile(percentile)) : null);
            }
            series.add(Series.of(charts.marks().of(variant), values, List.of(), List.of(), List.of()));
        });
        String id = charts.nextId();
        charts.add(new ChartSpec(
                id,
                Kind.LINES,
                PERCENTILES.stream()
                        .map(percentile -> List.of(name(percentile)))
                        .toList(),
                null,
                "percentile",
                "ms",
                true,
                null,
                null,
                series));
        return new Panel(
                id,
                result.points().size() == 1 ? "" : Words.point(result, point),
                "Lines: " + chart.title() + Words.at(result, List.of(point))
                        + ", in milliseconds by percentile, a line per variant; a table below has the numbers",
                HEIGHT);
    }

    private static Table table(
            Charts charts, ScenarioResult result, Chart chart, Point point, Map<String, Statistics> latencies) {
        List<String> heads = new ArrayList<>();
        PERCENTILES.forEach(percentile -> heads.add(name(percentile)));
        heads.add("most");
        heads.add("samples");
        List<Table.Row> rows = new ArrayList<>();
        latencies.forEach((variant, statistics) -> {
            List<Table.Cell> cells = new ArrayList<>();
            for (double percentile : PERCENTILES) {
                cells.add(Table.Cell.plain(
                        isKnown(statistics, percentile) ? Numbers.value(statistics.getPercentile(percentile)) : "–"));
            }
            cells.add(Table.Cell.plain(Numbers.value(statistics.getMax())));
            cells.add(Table.Cell.plain(Numbers.value((double) statistics.getN())));
            rows.add(new Table.Row(variant, "", charts.marks().of(variant).css(), false, cells));
        });
        return new Table(chart.title() + Words.at(result, List.of(point)) + ", ms", "variant", heads, rows);
    }

    /** Whether there are enough samples for at least one to be above it. */
    private static boolean isKnown(Statistics statistics, double percentile) {
        return statistics.getN() * (100 - percentile) / 100 >= 1;
    }

    private static String name(double percentile) {
        return "p"
                + (percentile == Math.rint(percentile)
                        ? Long.toString(Math.round(percentile))
                        : Double.toString(percentile));
    }
}
