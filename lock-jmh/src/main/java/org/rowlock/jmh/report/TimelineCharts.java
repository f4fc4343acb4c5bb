package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.report.ChartSpec.Kind;
import org.rowlock.jmh.report.ChartSpec.Series;
import org.rowlock.jmh.report.Figure.LegendItem;
import org.rowlock.jmh.report.Figure.Panel;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Chart;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;

/** A metric of each iteration over time: a canvas per point, a line per variant. */
final class TimelineCharts {
    private static final int HEIGHT = 320;

    private TimelineCharts() {}

    /** A variant's course: per iteration, what each round had. */
    private record Course(double seconds, List<List<Double>> rounds) {
        static Course of(Cell cell, String metric) {
            double seconds =
                    cell.rounds().get(0).getParams().getMeasurement().getTime().convertTo(TimeUnit.MILLISECONDS) / 1e3;
            return new Course(
                    seconds,
                    cell.rounds().stream()
                            .map(round -> new Cell(cell.point(), cell.variant(), List.of(round)).timeline(metric))
                            .toList());
        }

        int length() {
            return rounds.stream().mapToInt(List::size).max().orElse(0);
        }

        List<Double> at(int iteration) {
            return rounds.stream()
                    .filter(round -> iteration < round.size())
                    .map(round -> round.get(iteration))
                    .toList();
        }

        @Nullable
        Double mean(int iteration) {
            List<Double> values = at(iteration);
            return values.isEmpty()
                    ? null
                    : values.stream().mapToDouble(Double::doubleValue).sum() / values.size();
        }
    }

    static Optional<Figure> timeline(Charts charts, ScenarioResult result, Chart chart) {
        Metric metric = Charts.metric(result, chart.metric());
        List<String> variants = Charts.variantsWith(result, metric.key());
        List<Panel> panels = new ArrayList<>();
        List<Table> tables = new ArrayList<>();
        for (Point point : result.points()) {
            Map<String, Course> courses = new LinkedHashMap<>();
            variants.forEach(variant ->
                    result.cell(point, variant).ifPresent(cell -> courses.put(variant, Course.of(cell, metric.key()))));
            if (!courses.isEmpty()) {
                panels.add(panel(charts, result, chart, metric, point, courses));
                tables.add(table(result, chart, metric, point, courses));
            }
        }
        return panels.isEmpty()
                ? Optional.empty()
                : Optional.of(new Figure(
                        chart.title(),
                        "One value per iteration. With more than one round: their mean, and a band from least to most.",
                        panels,
                        variants.stream()
                                .map(variant -> LegendItem.line(charts.marks().of(variant)))
                                .toList(),
                        tables));
    }

    private static Panel panel(
            Charts charts,
            ScenarioResult result,
            Chart chart,
            Metric metric,
            Point point,
            Map<String, Course> courses) {
        List<Double> seconds = seconds(courses);
        List<Series> series = new ArrayList<>();
        courses.forEach((variant, course) -> {
            List<@Nullable Double> values = new ArrayList<>();
            List<@Nullable Double> low = new ArrayList<>();
            List<@Nullable Double> high = new ArrayList<>();
            for (int i = 0; i < course.length(); i++) {
                values.add(Charts.rounded(course.mean(i)));
                low.add(Charts.rounded(course.at(i).stream().min(Double::compare)));
                high.add(Charts.rounded(course.at(i).stream().max(Double::compare)));
            }
            boolean isBand = course.rounds().size() > 1;
            series.add(Series.of(
                    charts.marks().of(variant),
                    values,
                    isBand ? low : List.of(),
                    isBand ? high : List.of(),
                    List.of()));
        });
        String id = charts.nextId();
        charts.add(new ChartSpec(
                id,
                Kind.LINES,
                seconds.stream().map(second -> List.of(shown(second))).toList(),
                seconds,
                "seconds",
                Charts.unit(metric),
                false,
                null,
                null,
                series));
        return new Panel(
                id,
                result.points().size() == 1 ? "" : Words.point(result, point),
                "Lines: " + chart.title() + Words.at(result, List.of(point)) + ", " + Charts.unit(metric)
                        + " over seconds, a line per variant; a table below has the numbers",
                HEIGHT);
    }

    private static Table table(
            ScenarioResult result, Chart chart, Metric metric, Point point, Map<String, Course> courses) {
        List<Double> seconds = seconds(courses);
        List<Table.Row> rows = new ArrayList<>();
        for (int i = 0; i < seconds.size(); i++) {
            int iteration = i;
            rows.add(new Table.Row(
                    shown(seconds.get(i)),
                    "",
                    "",
                    false,
                    courses.values().stream()
                            .map(course -> course.mean(iteration))
                            .map(value -> Table.Cell.plain(value == null ? "–" : Numbers.value(value)))
                            .toList()));
        }
        return new Table(
                chart.title() + Words.at(result, List.of(point)) + ", " + Charts.unit(metric),
                "seconds",
                List.copyOf(courses.keySet()),
                rows);
    }

    /** The ends of the iterations. */
    private static List<Double> seconds(Map<String, Course> courses) {
        int length = courses.values().stream().mapToInt(Course::length).max().orElse(0);
        double each = courses.values().iterator().next().seconds();
        List<Double> seconds = new ArrayList<>();
        for (int i = 1; i <= length; i++) {
            seconds.add(i * each);
        }
        return seconds;
    }

    private static String shown(double seconds) {
        return seconds == Math.rint(seconds)
                ? Long.toString(Math.round(seconds))
                : String.format(Locale.ROOT, "%.1f", seconds);
    }
}
