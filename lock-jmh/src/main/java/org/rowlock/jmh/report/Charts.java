package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Chart;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Metric.Better;
import org.rowlock.jmh.scenario.Point;

/** Makes the figures of a page, and gathers what its script needs to draw them. Not thread-safe. */
final class Charts {
    private final VariantMarks marks;
    private final WaitEvents events;
    private final List<ChartSpec> specs = new ArrayList<>();

    Charts(VariantMarks marks, WaitEvents events) {
        this.marks = marks;
        this.events = events;
    }

    VariantMarks marks() {
        return marks;
    }

    WaitEvents events() {
        return events;
    }

    List<ChartSpec> specs() {
        return specs;
    }

    /** The id of the next canvas. */
    String nextId() {
        return "chart-" + (specs.size() + 1);
    }

    void add(ChartSpec spec) {
        specs.add(spec);
    }

    /** Those a scenario wants, as far as it has results for them. */
    List<Figure> of(ScenarioResult result) {
        List<Figure> figures = new ArrayList<>();
        for (Chart chart : result.scenario().charts()) {
            Optional<Figure> figure = switch (chart.kind()) {
                case CURVE -> MetricCharts.curve(this, result, chart);
                case BARS -> MetricCharts.bars(this, result, chart);
                case PERCENTILES -> LatencyCharts.percentiles(this, result, chart);
                case WAITS -> WaitCharts.waits(this, result, chart);
                case TIMELINE -> TimelineCharts.timeline(this, result, chart);
            };
            figure.ifPresent(figures::add);
        }
        return figures;
    }

    static Metric metric(ScenarioResult result, String key) {
        return result.scenario().metrics().stream()
                .filter(metric -> metric.key().equals(key))
                .findFirst()
                .orElseGet(() -> new Metric(key, key, "", Better.NEITHER));
    }

    /** Variants with at least one value of a metric. */
    static List<String> variantsWith(ScenarioResult result, String metric) {
        return result.variants().stream()
                .filter(variant -> result.cells().stream()
                        .anyMatch(cell -> cell.variant().equals(variant)
                                && !cell.perRound(metric).isEmpty()))
                .toList();
    }

    /** A name in lines short enough to stand beside a bar. */
    static List<String> lines(String variant) {
        int levers = variant.indexOf('+');
        return levers < 0
                ? List.of(variant)
                : List.of(
                        variant.substring(0, levers),
                        variant.substring(levers).replace("+", " +").strip());
    }

    static List<List<String>> labels(List<Point> points) {
        return points.stream().map(point -> List.of(point.label())).toList();
    }

    /** In digits that a drawing can show. */
    static @Nullable Double rounded(@Nullable Double value) {
        return value == null || !Double.isFinite(value)
                ? null
                : Double.valueOf(String.format(Locale.ROOT, "%.5g", value));
    }

    static @Nullable Double rounded(Optional<Double> value) {
        return rounded(value.orElse(null));
    }

    static Optional<Double> least(Optional<Cell> cell, String metric) {
        return cell.flatMap(found -> found.perRound(metric).stream().min(Double::compare));
    }

    static Optional<Double> most(Optional<Cell> cell, String metric) {
        return cell.flatMap(found -> found.perRound(metric).stream().max(Double::compare));
    }

    static String unit(Metric metric) {
        return metric.title() + (metric.unit().isEmpty() ? "" : ", " + metric.unit());
    }
}
