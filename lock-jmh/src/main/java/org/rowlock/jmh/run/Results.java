package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.BenchmarkResult;
import org.rowlock.jmh.scenario.Point;

/** Gathers the rounds of one scenario. */
final class Results {
    private record Place(Point point, String variant) {}

    private final Selection selection;
    private final Map<Place, List<BenchmarkResult>> rounds = new LinkedHashMap<>();

    Results(Selection selection) {
        this.selection = selection;
        // In the order of the selection, whatever the order in which they run.
        for (Point point : selection.points()) {
            for (String variant : selection.variants()) {
                rounds.put(new Place(point, variant), new ArrayList<>());
            }
        }
    }

    void add(Point point, String variant, BenchmarkResult result) {
        rounds.computeIfAbsent(new Place(point, variant), place -> new ArrayList<>())
                .add(result);
    }

    /** Forgets a variant whose locks are wrong: a fast wrong lock is no result. */
    void drop(String variant) {
        rounds.keySet().removeIf(place -> place.variant().equals(variant));
    }

    ScenarioResult toScenarioResult() {
        List<Cell> cells = new ArrayList<>();
        rounds.forEach((place, results) -> {
            if (!results.isEmpty()) {
                cells.add(new Cell(place.point(), place.variant(), List.copyOf(results)));
            }
        });
        return new ScenarioResult(selection.scenario(), selection.points(), selection.variants(), cells, List.of());
    }
}
