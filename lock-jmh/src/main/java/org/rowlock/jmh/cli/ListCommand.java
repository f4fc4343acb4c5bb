package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.bench.Scenarios;
import org.rowlock.jmh.scenario.Scenario;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this.")
    @SuppressWarnings("unused")
    private boolean isHelpAsked;

    @Parameters(
            arity = "0..1",
            paramLabel = "<scenario>",
            converter = ScenarioOptions.Named.class,
            description = "The one to tell all about.")
    private @Nullable Scenario one;

    @Override
    public Integer call() {
        PrintWriter out = command.commandLine().getOut();
        Scenario scenario = one;
        if (scenario != null) {
            TextTable table = Plan.table(12);
            table.addRowValues(scenario.name(), scenario.title());
            table.addRowValues("", scenario.question());
            table.addRowValues("Published", scenario.published().isEmpty() ? "nowhere else" : scenario.published());
            table.addRowValues("Takes", Plan.size(scenario));
            table.addRowValues("Run it with", "compare --scenario " + scenario.name());
            out.println(table);
            out.println(scenario.rows());
            return 0;
        }
        TextTable table = Plan.table(22);
        for (Scenario each : Scenarios.all()) {
            table.addRowValues((each.brief() == null ? "  " : "* ") + each.name(), each.title());
            table.addRowValues("", Plan.size(each));
        }
        out.println(table);
        out.println("* 'compare' runs these if you name none. 'list <scenario>' tells all about one.");
        return 0;
    }
}
