package org.rowlock.jmh.report;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.ScenarioResult;

/** How much a baseline differs from itself between rounds, which nothing but the machine explains. */
final class Unrest {
    /** From so many times on it is worth a word. */
    private static final double MUCH = 1.5;

    private Unrest() {}

    private record Place(ScenarioResult result, Cell cell, double times) {}

    /** Part of a sentence on the worst place; empty where all is calm. */
    static Optional<String> of(List<Advice> advices) {
        return advices.stream()
                .flatMap(advice -> advice.result().cells().stream()
                        .filter(cell ->
                                cell.variant().equals(advice.result().scenario().baseline()))
                        .map(cell -> new Place(advice.result(), cell, times(advice.result(), cell))))
                .filter(place -> place.times() > MUCH && Double.isFinite(place.times()))
                .max(Comparator.comparingDouble(Place::times))
                .map(place -> "the machine was not quiet: between rounds "
                        + place.cell().variant() + " differed from itself by up to " + Numbers.ratio(place.times())
                        + " (" + place.result().scenario().name()
                        + Words.at(place.result(), List.of(place.cell().point())) + ")");
    }

    private static double times(ScenarioResult result, Cell cell) {
        List<Double> values = cell.perRound(result.scenario().headline().key());
        return values.isEmpty()
                ? 1
                : values.stream().max(Double::compare).orElseThrow()
                        / values.stream().min(Double::compare).orElseThrow();
    }
}
