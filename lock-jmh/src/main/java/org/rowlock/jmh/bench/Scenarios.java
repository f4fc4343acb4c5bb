package org.rowlock.jmh.bench;

import java.util.List;
import java.util.Optional;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.ScenarioFile;

/** All scenarios. */
public final class Scenarios {
    private static final List<Scenario> ALL = ScenarioFile.read(Scenarios::benchmark);

    private Scenarios() {}

    private static Class<?> benchmark(String name) {
        try {
            return Class.forName(Scenarios.class.getPackageName() + '.' + name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("scenarios.md names a benchmark that there is not: " + name, e);
        }
    }

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
