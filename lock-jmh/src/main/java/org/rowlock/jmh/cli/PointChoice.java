package org.rowlock.jmh.cli;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.run.Selection;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;

/**
 * Where a scenario is run.
 *
 * @param clients how many, where the scenario leaves that to the user; empty for its own
 * @param zipf the exponent of the distribution of keys, where there is one; null for the benchmark's own
 */
record PointChoice(List<Integer> clients, @Nullable Double zipf) {
    private static final String ZIPF = "zipf";

    /** The points of a selection, or those that the user's clients make of them. */
    List<Point> of(Selection selection) {
        Scenario scenario = selection.scenario();
        List<Point> points = takesClients(scenario)
                ? clients.stream()
                        .distinct()
                        .map(number -> of(scenario, number))
                        .toList()
                : selection.points();
        return points.stream()
                .map(point -> takesZipf(scenario) ? zipf(point) : point)
                .toList();
    }

    boolean takesClients(Scenario scenario) {
        return !clients.isEmpty() && scenario.threadsAreClients();
    }

    boolean takesZipf(Scenario scenario) {
        return zipf != null && hasParam(scenario.benchmark());
    }

    /** With what the scenario's own points have in common. */
    private static Point of(Scenario scenario, int clients) {
        Map<String, String> common = new HashMap<>(scenario.points().get(0).params());
        for (Point point : scenario.points()) {
            common.entrySet().retainAll(point.params().entrySet());
        }
        return Point.of(Integer.toString(clients), clients, Map.copyOf(common))
                .locking(scenario.points().get(0).locksPerThread());
    }

    private Point zipf(Point point) {
        Map<String, String> params = new HashMap<>(point.params());
        params.put(ZIPF, String.valueOf(zipf));
        return new Point(
                point.label(),
                point.threads(),
                point.groups(),
                Map.copyOf(params),
                point.connections(),
                point.locksPerThread());
    }

    private static boolean hasParam(Class<?> benchmark) {
        for (Field field : benchmark.getFields()) {
            if (field.getName().equals(ZIPF) && field.isAnnotationPresent(Param.class)) {
                return true;
            }
        }
        return false;
    }
}
