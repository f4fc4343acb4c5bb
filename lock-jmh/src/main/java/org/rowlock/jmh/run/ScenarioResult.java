package org.rowlock.jmh.run;

import java.util.List;
import java.util.Optional;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;

/**
 * What a scenario came to.
 *
 * @param scenario which
 * @param points where it was run; the user's, if given
 * @param variants what was compared; the user's, if given
 * @param cells a cell per point and variant that were run
 * @param remarks what a reader must know, such as a setting the server does not have; complete sentences
 */
public record ScenarioResult(
        Scenario scenario, List<Point> points, List<String> variants, List<Cell> cells, List<String> remarks) {

    public Optional<Cell> cell(Point point, String variant) {
        return cells.stream()
                .filter(cell -> cell.point().equals(point) && cell.variant().equals(variant))
                .findFirst();
    }

    /**
     * A variant against the baseline of its own round, at one point: a pair of neighbours in time, so that a machine that
     * drifts moves both.
     *
     * @return empty if either was not run or has no such metric
     */
    public Optional<Ratio> ratio(String metric, Point point, String variant) {
        return ratio(metric, point, variant, scenario.baseline());
    }

    /** The same against any other variant. */
    public Optional<Ratio> ratio(String metric, Point point, String variant, String baseline) {
        return Ratio.of(perRound(metric, point, variant), perRound(metric, point, baseline));
    }

    private List<Double> perRound(String metric, Point point, String variant) {
        return cell(point, variant).map(cell -> cell.perRound(metric)).orElse(List.of());
    }
}
