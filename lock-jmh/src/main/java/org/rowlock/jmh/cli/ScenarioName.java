package org.rowlock.jmh.cli;

import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

final class ScenarioName implements ITypeConverter<Scenario> {
    @Override
    public Scenario convert(String name) {
        return Scenarios.named(name.trim().toLowerCase(Locale.ROOT))
                .orElseThrow(() -> new TypeConversionException(
                        "There is no scenario '" + name + "'. There are: " + all(scenario -> true) + "."));
    }

    static String all(Predicate<Scenario> which) {
        return Scenarios.all().stream().filter(which).map(Scenario::name).collect(Collectors.joining(", "));
    }
}
