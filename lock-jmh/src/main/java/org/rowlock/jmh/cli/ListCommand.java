package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.HelpOption;
import org.rowlock.jmh.run.Selection;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what can be run by name. */
@Command(
        name = "list",
        description = "Shows the scenarios, or all about one of them.",
        sortOptions = false,
        abbreviateSynopsis = true)
final class ListCommand implements Callable<Integer> {
    private static final int WIDTH = 96;

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
        if (name == null) {
            all(out);
        } else {
            one(out, named(name));
        }
        return 0;
    }

    private Scenario named(String given) {
        return Scenarios.named(given.toLowerCase(Locale.ROOT)).orElseThrow(() -> {
            List<String> known = Scenarios.all().stream().map(Scenario::name).toList();
            return new ParameterException(
                    command.commandLine(),
                    "There is no scenario '" + given + "'." + Nearest.guess(given, known) + " There are: "
                            + String.join(", ", known) + ".");
        });
    }

    private static void all(PrintWriter out) {
        List<Scenario> scenarios = Scenarios.all();
        List<String> defaults = DefaultScenarios.names();
        int width = scenarios.stream()
                .mapToInt(scenario -> scenario.name().length())
                .max()
                .orElse(1);
        for (Scenario scenario : scenarios) {
            out.printf(
                    "%s %-" + width + "s  %s%n  %-" + width + "s  %s%n",
                    defaults.contains(scenario.name()) ? "*" : " ",
                    scenario.name(),
                    scenario.title(),
                    "",
                    Plan.size(Selection.of(scenario)));
        }
        out.println();
        out.println("* 'compare' runs these if you name none. 'list <scenario>' tells all about one.");
    }

    private static void one(PrintWriter out, Scenario scenario) {
        out.println(scenario.name() + ": " + scenario.title());
        out.println();
        wrapped(out, "", scenario.question());
        if (!scenario.published().isEmpty()) {
            out.println();
            wrapped(out, "Published  ", scenario.published());
        }
        out.println();
        wrapped(
                out,
                "Points     ",
                scenario.axis() + ": "
                        + String.join(
                                ", ",
                                scenario.points().stream().map(Point::label).toList()));
        wrapped(out, "Variants   ", String.join(", ", scenario.variants()));
        wrapped(
                out,
                "Shows      ",
                String.join(", ", scenario.metrics().stream().map(Metric::title).toList()));
        wrapped(out, "Takes      ", Plan.size(Selection.of(scenario)));
        if (scenario.threadsAreClients()) {
            wrapped(out, "Options    ", "--clients replaces its points.");
        }
        if (scenario.needs().contains(Scenario.Need.MAY_BE_KILLED)) {
            wrapped(out, "Needs      ", "to kill the server: an embedded one, or --crash-command for yours.");
        }
        out.println();
        out.println("Run it with: compare --scenario " + scenario.name());
    }

    private static void wrapped(PrintWriter out, String label, String text) {
        StringBuilder line = new StringBuilder(label);
        for (String word : text.split(" ", -1)) {
            if (line.length() + word.length() > WIDTH) {
                out.println(line.toString().stripTrailing());
                line = new StringBuilder(" ".repeat(label.length()));
            }
            line.append(word).append(' ');
        }
        out.println(line.toString().stripTrailing());
    }
}
