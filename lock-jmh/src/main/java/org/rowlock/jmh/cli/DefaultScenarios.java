package org.rowlock.jmh.cli;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.rowlock.jmh.run.Selection;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;

/** What is run if nobody says what: the questions that decide about a migration, in a quarter of an hour. */
final class DefaultScenarios {
    /**
     * One of them.
     *
     * @param points their labels; all if empty
     * @param variants which; all if empty
     */
    private record Default(String name, Set<String> points, Set<String> variants) {}

    private static final Set<String> STRATEGIES =
            Set.of("ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission");

    private static final List<Default> DEFAULTS = List.of(
            new Default("zipfian", Set.of("zipf"), STRATEGIES),
            new Default("clients", Set.of("1", "10", "300"), STRATEGIES),
            new Default("share", Set.of("4"), Set.of()),
            new Default("pool", Set.of(), Set.of()),
            new Default("read-after-lock", Set.of(), Set.of()));

    private DefaultScenarios() {}

    static List<Selection> selections() {
        return DEFAULTS.stream().flatMap(DefaultScenarios::selection).toList();
    }

    private static Stream<Selection> selection(Default of) {
        return Scenarios.named(of.name()).stream()
                .map(scenario -> new Selection(
                        scenario,
                        scenario.points().stream()
                                .filter(point ->
                                        of.points().isEmpty() || of.points().contains(point.label()))
                                .toList(),
                        scenario.variants().stream()
                                .filter(variant ->
                                        of.variants().isEmpty() || of.variants().contains(variant))
                                .toList(),
                        scenario.rhythm()));
    }

    /** Their names, for the help. */
    static List<String> names() {
        return selections().stream()
                .map(Selection::scenario)
                .map(Scenario::name)
                .toList();
    }
}
