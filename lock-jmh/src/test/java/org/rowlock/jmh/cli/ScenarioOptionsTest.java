package org.rowlock.jmh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.run.Selection;
import org.rowlock.jmh.scenario.Point;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ScenarioOptionsTest {
    @Command
    private static final class Host {
        @Mixin
        private final ScenarioOptions scenarios = new ScenarioOptions();
    }

    private static List<Selection> selections(String... arguments) {
        Host host = new Host();
        new CommandLine(host).parseArgs(arguments);
        return host.scenarios.choices(true).chosen().stream()
                .map(Choice::selection)
                .toList();
    }

    private static List<List<String>> points(List<Selection> selections) {
        return selections.stream()
                .map(selection -> selection.points().stream().map(Point::label).toList())
                .toList();
    }

    @Test
    void anotherExponentLeavesTheDefaultAsShortAsItIs() {
        assertThat(points(selections("--zipf", "1.3"))).isEqualTo(points(selections()));
        assertThat(selections("--zipf", "1.3").get(0).points().get(0).params()).containsEntry("zipf", "1.3");
    }

    @Test
    void clientsReplaceThePointsOfScenariosThatAreRunOverThem() {
        assertThat(points(selections("--scenario", "clients,zipfian", "--clients", "3,3,7")))
                .containsExactly(List.of("3", "7"), List.of("zipf", "uniform"));
    }
}
