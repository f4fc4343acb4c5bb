package org.rowlock.jmh.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.PositiveNumber;
import org.rowlock.jmh.run.Selection;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What is run, and how long. A mixin for commands. */
final class ScenarioOptions {
    private static final int MILLIS = 1_000;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(
            names = "--scenario",
            paramLabel = "<name>",
            split = ",",
            order = 10,
            description = "What to find out, by name; 'list' shows the names. Default: the few that matter most, with"
                    + " fewer points and variants than they have when named.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--all", order = 11, description = "Every scenario. Takes hours.")
    private boolean all;

    @Option(
            names = "--strategy",
            paramLabel = "<strategy>",
            split = ",",
            order = 12,
            description = "Which to compare: row (SELECT ... FOR UPDATE), both (the advisory lock in front of it),"
                    + " advisory (the advisory lock alone); where a scenario has them also naive (an advisory lock"
                    + " written by hand) and optimistic (a version column). Default: all. What ratios refer to, mostly"
                    + " row, always runs.")
    private List<String> strategies = new ArrayList<>();

    @Option(
            names = "--admission",
            paramLabel = "on|off|both",
            converter = Admission.Converter.class,
            order = 13,
            description = "Whether threads queue in the JVM before they borrow a connection. Default: both.")
    private Admission admission = Admission.BOTH;

    @Option(
            names = "--clients",
            paramLabel = "<number>",
            split = ",",
            converter = PositiveNumber.class,
            order = 14,
            description = "How many at a time, such as 1,10,90,300, for scenarios that are run over clients.")
    private List<Integer> clients = new ArrayList<>();

    @Option(
            names = "--zipf",
            paramLabel = "<exponent>",
            converter = ZipfExponent.class,
            order = 15,
            description = "How uneven the keys are: 0 is even, and from 1 on a few keys get most. Default: 1.1.")
    private @Nullable Double zipf;

    @Option(
            names = "--seconds",
            paramLabel = "<number>",
            converter = PositiveNumber.class,
            order = 16,
            description = "How long each measurement takes. Default: 4, or what the scenario needs.")
    private @Nullable Integer seconds;

    @Option(
            names = "--rounds",
            paramLabel = "<number>",
            converter = PositiveNumber.class,
            order = 17,
            description = "How often everything is measured; from two on there is a spread. Default: 3, or what the"
                    + " scenario needs.")
    private @Nullable Integer rounds;

    /**
     * What the options come to.
     *
     * @param mayBeKilled whether scenarios may kill the server
     * @throws ParameterException if they contradict each other or name what there is not
     */
    Choices choices(boolean mayBeKilled) {
        refuseEmpty("--scenario", names);
        refuseEmpty("--strategy", strategies);
        refuseEmpty("--clients", clients);
        List<Choice> choices = new ArrayList<>();
        List<String> leftOut = new ArrayList<>();
        VariantChoice variants = variants();
        PointChoice points = new PointChoice(clients, zipf);
        List<Selection> wanted = wanted();
        for (Selection selection : wanted) {
            Scenario scenario = selection.scenario();
            List<String> chosen = variants.of(scenario).stream()
                    .filter(selection.variants()::contains)
                    .toList();
            if (chosen.isEmpty()) {
                leftOut.add(refuseIfNamed(
                        scenario,
                        "compares none of what --strategy and --admission ask for; it has "
                                + String.join(", ", scenario.variants()) + "."));
            } else if (scenario.needs().contains(Scenario.Need.MAY_BE_KILLED) && !mayBeKilled) {
                leftOut.add(refuseIfNamed(
                        scenario,
                        "kills the server and starts it again, which this program cannot do to a server of yours. Give"
                                + " a shell command that does with --crash-command, or leave out --url for an embedded"
                                + " server."));
            } else {
                choices.add(new Choice(
                        new Selection(scenario, points.of(selection), chosen, rhythm(selection.rhythm())), List.of()));
            }
        }
        refuseWithoutEffect(variants, points, choices);
        return new Choices(choices, leftOut);
    }

    /** A list of nothing but commas would else be taken for none at all, and the default would run. */
    private void refuseEmpty(String option, List<?> given) {
        if (given.isEmpty() && command.commandLine().getParseResult().hasMatchedOption(option)) {
            throw usage(option + " was given without a value. Give one or more, with a comma between them, or leave "
                    + option + " out.");
        }
    }

    private VariantChoice variants() {
        try {
            return VariantChoice.of(strategies, admission);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    private List<Selection> wanted() {
        if (all && !names.isEmpty()) {
            throw usage("--all runs every scenario, and --scenario some. Give one of them.");
        }
        if (all) {
            return Scenarios.all().stream().map(Selection::of).toList();
        }
        if (names.isEmpty()) {
            return DefaultScenarios.selections();
        }
        Set<Scenario> named = new LinkedHashSet<>();
        for (String name : names) {
            named.add(named(name.trim()));
        }
        return named.stream().map(Selection::of).toList();
    }

    private Scenario named(String name) {
        return Scenarios.named(name.toLowerCase(Locale.ROOT)).orElseThrow(() -> {
            List<String> known = Scenarios.all().stream().map(Scenario::name).toList();
            return usage("There is no scenario '" + name + "'." + Nearest.guess(name, known) + " There are: "
                    + String.join(", ", known) + ".");
        });
    }

    private Scenario.Rhythm rhythm(Scenario.Rhythm own) {
        int times = rounds == null ? own.rounds() : rounds;
        if (seconds == null || own.singleShot()) {
            return new Scenario.Rhythm(times, own.warmupMillis(), own.iterations(), own.millis(), own.singleShot());
        }
        // Over time more time is more measurements in a row, and elsewhere a longer one.
        return own.iterations() > 1
                ? new Scenario.Rhythm(times, own.warmupMillis(), seconds * MILLIS / own.millis(), own.millis(), false)
                : new Scenario.Rhythm(times, own.warmupMillis(), 1, seconds * MILLIS, false);
    }

    boolean areNamed() {
        return !names.isEmpty();
    }

    boolean areClientsGiven() {
        return !clients.isEmpty();
    }

    /** What was asked for by name is refused; of the default or of all it is left out, with a remark. */
    private String refuseIfNamed(Scenario scenario, String why) {
        if (areNamed()) {
            throw usage("The scenario " + scenario.name() + " " + why);
        }
        return "Without " + scenario.name() + ": it " + why;
    }

    private void refuseWithoutEffect(VariantChoice variants, PointChoice points, List<Choice> choices) {
        List<Scenario> scenarios =
                choices.stream().map(choice -> choice.selection().scenario()).toList();
        if (scenarios.isEmpty()) {
            throw usage("None of the scenarios compares what --strategy and --admission ask for. Those that do: "
                    + namesOf(scenario -> !variants.of(scenario).isEmpty()) + ".");
        }
        if (!clients.isEmpty() && scenarios.stream().noneMatch(points::takesClients)) {
            throw usage("--clients has no effect: none of the scenarios leaves the number of clients to you. Those that"
                    + " do: " + namesOf(Scenario::threadsAreClients) + ".");
        }
        if (zipf != null && scenarios.stream().noneMatch(points::takesZipf)) {
            throw usage("--zipf has no effect: none of the scenarios has keys of that distribution. Those that do: "
                    + namesOf(points::takesZipf) + ".");
        }
    }

    private static String namesOf(Predicate<Scenario> which) {
        return String.join(
                ", ", Scenarios.all().stream().filter(which).map(Scenario::name).toList());
    }

    private ParameterException usage(@Nullable String message) {
        return new ParameterException(command.commandLine(), String.valueOf(message));
    }
}
