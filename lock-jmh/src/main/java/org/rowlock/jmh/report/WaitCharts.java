package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.report.ChartSpec.Kind;
import org.rowlock.jmh.report.ChartSpec.Series;
import org.rowlock.jmh.report.Figure.LegendItem;
import org.rowlock.jmh.report.Figure.Panel;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Chart;
import org.rowlock.jmh.scenario.Point;

/** Sampled wait events, stacked: a canvas per point, a bar per variant. */
final class WaitCharts {
    /** The others of a figure are added up. */
    private static final int EVENTS = 9;

    private static final int BAR_HEIGHT = 36;
    private static final int AXIS_HEIGHT = 56;

    private WaitCharts() {}

    static Optional<Figure> waits(Charts charts, ScenarioResult result, Chart chart) {
        List<String> all = WaitEvents.byWeight(WaitEvents.sum(result.cells()));
        if (all.isEmpty()) {
            return Optional.empty();
        }
        List<String> shown = WaitEvents.stacked(all.size() <= EVENTS ? all : all.subList(0, EVENTS - 1));
        List<Panel> panels = new ArrayList<>();
        List<Table> tables = new ArrayList<>();
        for (Point point : result.points()) {
            List<Cell> cells = result.variants().stream()
                    .map(variant -> result.cell(point, variant))
                    .flatMap(Optional::stream)
                    .filter(cell -> !cell.waits().isEmpty())
                    .toList();
            if (!cells.isEmpty()) {
                panels.add(panel(charts, result, chart, point, cells, shown, all));
                tables.add(table(result, chart, point, cells, all));
            }
        }
        List<LegendItem> legend = new ArrayList<>();
        shown.forEach(
                event -> legend.add(new LegendItem(event, "c-" + charts.events().color(event), "")));
        if (shown.size() < all.size()) {
            legend.add(new LegendItem(WaitEvents.REST, "c-wait-rest", ""));
        }
        return Optional.of(new Figure(
                chart.title(),
                "Sessions in each wait at a time, on average. CPU is no wait: such a session runs, or is ready to;"
                        + " Client:ClientRead is one in a transaction whose client has the word.",
                panels,
                legend,
                tables));
    }

    private static Panel panel(
            Charts charts,
            ScenarioResult result,
            Chart chart,
            Point point,
            List<Cell> cells,
            List<String> shown,
            List<String> all) {
        List<Series> series = new ArrayList<>();
        for (String event : shown) {
            series.add(stack(event, charts.events().color(event), sessions(cells, List.of(event))));
        }
        if (shown.size() < all.size()) {
            series.add(stack(WaitEvents.REST, "wait-rest", sessions(cells, all.subList(shown.size(), all.size()))));
        }
        String id = charts.nextId();
        charts.add(new ChartSpec(
                id,
                Kind.STACKS,
                cells.stream().map(cell -> Charts.lines(cell.variant())).toList(),
                null,
                "",
                "sessions",
                false,
                null,
                null,
                series));
        return new Panel(
                id,
                result.points().size() == 1 ? "" : Words.point(result, point),
                "Stacked bars: " + chart.title() + Words.at(result, List.of(point))
                        + ", sessions per wait event, a bar per variant; a table below has the numbers",
                AXIS_HEIGHT + BAR_HEIGHT * cells.size());
    }

    private static Series stack(String name, String color, List<@Nullable Double> values) {
        return new Series(name, color, false, false, values, List.of(), List.of(), List.of());
    }

    private static List<@Nullable Double> sessions(List<Cell> cells, List<String> events) {
        List<@Nullable Double> sessions = new ArrayList<>();
        for (Cell cell : cells) {
            Map<String, Double> waits = cell.waits();
            sessions.add(Charts.rounded(events.stream()
                    .mapToDouble(event -> waits.getOrDefault(event, 0.0))
                    .sum()));
        }
        return sessions;
    }

    private static Table table(ScenarioResult result, Chart chart, Point point, List<Cell> cells, List<String> all) {
        Map<String, List<Table.Cell>> rows = new LinkedHashMap<>();
        for (Cell cell : cells) {
            Map<String, Double> waits = cell.waits();
            for (String event : all) {
                rows.computeIfAbsent(event, name -> new ArrayList<>())
                        .add(Table.Cell.plain(Numbers.sessions(waits.getOrDefault(event, 0.0))));
            }
        }
        return new Table(
                chart.title() + Words.at(result, List.of(point)) + ", sessions",
                "wait event",
                cells.stream().map(Cell::variant).toList(),
                rows.entrySet().stream()
                        .map(row -> new Table.Row(row.getKey(), "", "", false, row.getValue()))
                        .toList());
    }
}
