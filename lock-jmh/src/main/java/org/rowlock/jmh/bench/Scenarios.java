package org.rowlock.jmh.bench;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.rowlock.jmh.scenario.Scenario;

/** All scenarios. */
public final class Scenarios {
    private static final List<Scenario> OURS = List.of(
            Zipfian.SCENARIO,
            Zipfian.OVER_CLIENTS,
            DropIn.SCENARIO,
            DropIn.ORDERS,
            RoundTrips.SCENARIO,
            GroupExecution.SCENARIO,
            EarlyRelease.SCENARIO,
            Instances.SCENARIO,
            Instances.ONE_ROW,
            Pool.SCENARIO,
            Bystander.SCENARIO,
            Share.SCENARIO,
            ShareFairness.SCENARIO,
            ReadAfterLock.SCENARIO,
            Keys.SCENARIO,
            ManyKeys.SCENARIO,
            Queue.SCENARIO,
            PlanTrap.SCENARIO,
            WriteMixed.SCENARIO,
            LockLoss.SCENARIO,
            Horizon.SCENARIO,
            Autovacuum.SCENARIO,
            Zipfian.DISTINCT_KEYS);

    private static final List<Scenario> ALL =
            Stream.concat(OURS.stream(), SqlCase.SCENARIOS.stream()).toList();

    private Scenarios() {}

    /** In the order in which they are listed and run. */
    public static List<Scenario> all() {
        return ALL;
    }

    public static List<String> names() {
        return ALL.stream().map(Scenario::name).toList();
    }

    public static Optional<Scenario> named(String name) {
        return ALL.stream().filter(scenario -> scenario.name().equals(name)).findFirst();
    }
}
