package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.HelpOption;
import org.rowlock.jmh.bench.DefaultScenarios;
import org.rowlock.jmh.bench.Scenarios;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Variant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what can be run by name. */
@Command(
        name = "list",
        description = "Shows the scenarios, or all about one of them.",
        sortOptions = false,
        abbreviateSynopsis = true)
final class ListCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Mixin
    @SuppressWarnings("unused")
    private final HelpOption help = new HelpOption();

    @Parameters(arity = "0..1", paramLabel = "<scenario>", description = "The one to tell all about.")
    private @Nullable String name;

    @Override
    public Integer call() {
        PrintWriter out = command.commandLine().getOut();
        if (name != null) {
            out.println(one(ScenarioOptions.named(name.toLowerCase(Locale.ROOT), command.commandLine())));
            return 0;
        }
        TextTable table = Plan.table(22);
        for (Scenario scenario : Scenarios.all()) {
            String mark = DefaultScenarios.names().contains(scenario.name()) ? "* " : "  ";
            table.addRowValues(mark + scenario.name(), scenario.title());
            table.addRowValues("", Plan.size(scenario));
        }
        out.println(table);
        out.println("* 'compare' runs these if you name none. 'list <scenario>' tells all about one.");
        return 0;
    }

    private static TextTable one(Scenario scenario) {
        TextTable table = Plan.table(12);
        table.addRowValues(scenario.name(), scenario.title());
        table.addRowValues("", scenario.question());
        if (!scenario.published().isEmpty()) {
            table.addRowValues("Published", scenario.published());
        }
        table.addRowValues(
                "Points", joined(scenario.points().stream().map(Point::label).toList()));
        table.addRowValues(
                "Variants",
                joined(scenario.variants().stream().map(Variant::label).toList()));
        table.addRowValues(
                "Shows", joined(scenario.metrics().stream().map(Metric::title).toList()));
        table.addRowValues("Takes", Plan.size(scenario));
        if (scenario.isOverClients()) {
            table.addRowValues("Options", "--clients replaces its points.");
        }
        if (scenario.killsServer()) {
            table.addRowValues("Needs", "to kill the server: an embedded one, or --crash-command for yours.");
        }
        table.addRowValues("Run it with", "compare --scenario " + scenario.name());
        table.addRowValues("With JMH", scenario.benchmark().getSimpleName() + " -p clients=..");
        return table;
    }

    private static String joined(List<String> labels) {
        return labels.stream().collect(Collectors.joining("; "));
    }
}
