package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Optional;

/** All scenarios. */
public final class Scenarios {
    private static final List<Scenario> ALL = List.of(
            ZipfianScenarios.zipfian(),
            ZipfianScenarios.clients(),
            InstanceScenarios.instances(),
            CrowdScenarios.pool(),
            CrowdScenarios.bystander(),
            SharingScenarios.share(),
            SharingScenarios.shareFairness(),
            KeyScenarios.readAfterLock(),
            KeyScenarios.keys(),
            KeyScenarios.keyCost(),
            KeyScenarios.manyKeys(),
            QueueScenarios.queue(),
            QueueScenarios.planTrap(),
            WriteScenarios.writeMix(),
            WriteScenarios.guard(),
            LossScenarios.lockLoss(),
            TimelineScenarios.horizon(),
            TimelineScenarios.autovacuum(),
            LightweightLockScenarios.buffers(),
            LightweightLockScenarios.procArray(),
            LightweightLockScenarios.fastPath(),
            LightweightLockScenarios.keys());

    private Scenarios() {}

    /** In the order in which they are listed and run. */
    public static List<Scenario> all() {
        return ALL;
    }

    public static Optional<Scenario> named(String name) {
        return ALL.stream().filter(scenario -> scenario.name().equals(name)).findFirst();
    }
}
