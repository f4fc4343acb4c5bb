package org.rowlock.jmh.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;

/** What is run if nobody says what: the questions that decide about a migration, in ten minutes. */
public final class DefaultScenarios {
    /** A network as it is between a service and its database. */
    private static final double NETWORK_MILLIS = 0.5;

    private static final Timing SHORT = new Timing(3, 800, 1, 2_000, false);

    private static final Timing FEW = new Timing(3, 4_000, 1, 2_000, false);

    /**
     * Where crowds go through the library beside SQL by hand: in less it is not compiled, and makes 1.4x in place of
     * 1.7x.
     */
    private static final Timing WARM = new Timing(4, 4_000, 1, 2_000, false);

    /**
     * @param point its label
     * @param isMain whether it is run with and without a network
     */
    private record Default(String name, String point, Timing timing, boolean isMain, Set<String> variants) {}

    private static final List<Default> DEFAULTS = List.of(
            new Default("zipfian", "90 clients", WARM, true, Set.of("FOR_UPDATE", "ROW", "ADVISORY")),
            new Default(
                    "round-trips", "90 clients, 0.5 ms", SHORT, false, Set.of("ROW in 5", "ROW in 2", "ADVISORY in 2")),
            new Default("share", "4 clients", FEW, false, Set.of("FOR_UPDATE", "ROW", "ADVISORY")),
            new Default("pool", "300 hot threads", SHORT, false, Set.of("FOR_UPDATE", "ROW + admission", "idle pool")));

    private DefaultScenarios() {}

    /**
     * What is run where nobody says what.
     *
     * @param isEmbedded whether the server is ours, on this machine, and so without a network
     * @param areAllVariants whether with all of their variants, as it was said which are wanted
     */
    public static List<Scenario> scenarios(boolean isEmbedded, boolean areAllVariants) {
        List<Scenario> scenarios = new ArrayList<>();
        for (Default each : DEFAULTS) {
            Scenario scenario = Scenarios.named(each.name()).orElseThrow();
            List<Variant> variants = scenario.variants().stream()
                    .filter(variant -> areAllVariants || each.variants().contains(variant.label()))
                    .toList();
            List<Point> points = scenario.points().stream()
                    .filter(point -> point.label().equals(each.point()))
                    .flatMap(point -> !isEmbedded
                            ? Stream.of(point.over(0))
                            : each.isMain() ? Stream.of(point, point.over(NETWORK_MILLIS)) : Stream.of(point))
                    .toList();
            scenarios.add(scenario.with(points, variants).timed(each.timing()));
        }
        return scenarios;
    }

    public static List<String> names() {
        return DEFAULTS.stream().map(Default::name).toList();
    }
}
