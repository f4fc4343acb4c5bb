package org.rowlock.jmh.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.tool.PositiveNumber;
import org.rowlock.tool.ToolCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command-line options that select scenarios, variants, points and times. Commands include them as a mixin. */
final class ScenarioOptions {
    private static final String ZIPF = "zipf";

    /** The limit of the exponent. Beyond the limit, all clients pick the same key. */
    private static final double MOST_ZIPF = 20;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(
            names = "--scenario",
            paramLabel = "<name>",
            split = ",",
            converter = ScenarioName.class,
            description = "The scenarios to run, by name; 'list' shows the names. Default: the most important"
                    + " scenarios, shortened to a few points and variants.")
    private List<Scenario> names = new ArrayList<>();

    @Option(
            names = "--variant",
            paramLabel = "<label>",
            split = ";",
            description = "The variants to compare, such as \"ROW; ADVISORY + admission\" or \"jpa-find; jpa-flush\"."
                    + " 'list NAME' shows them. The first variant of a scenario, the baseline, and controls always run."
                    + " Default: all.")
    private List<String> variants = new ArrayList<>();

    @Option(
            names = "--clients",
            paramLabel = "<number>",
            split = ",",
            converter = PositiveNumber.class,
            description = "How many clients at a time, such as 1,10,90,300, for scenarios whose points differ in the"
                    + " number of clients.")
    private List<Integer> clients = new ArrayList<>();

    @Option(
            names = "--point",
            paramLabel = "<label>",
            description = "A point of the scenario, such as \"40 JVMs x 6\"; 'list NAME' shows the points. Give the"
                    + " option once for each point. Default: all points.")
    private List<String> labels = new ArrayList<>();

    @Option(
            names = "--rtt",
            paramLabel = "<time>",
            split = ",",
            converter = RoundTripTime.class,
            description =
                    "The round-trip time between clients and server, such as 0.5ms, or several: 0,0.5ms,1ms. A proxy"
                            + " adds the delay. Default: no proxy. Without --scenario, hot rows on an embedded"
                            + " server are measured with 0.5ms too.")
    private List<Double> roundTrips = new ArrayList<>();

    @Option(
            names = "--zipf",
            paramLabel = "<exponent>",
            description = "How uneven the keys are: 0 is even, and from 1 on a few keys get most transactions."
                    + " Default: 1.1.")
    private @Nullable Double zipf;

    @Option(
            names = "--seconds",
            paramLabel = "<number>",
            converter = PositiveNumber.class,
            description = "How long each measurement takes. Default: 3, or the time that the scenario needs.")
    private @Nullable Integer seconds;

    @Option(
            names = "--rounds",
            paramLabel = "<number>",
            converter = PositiveNumber.class,
            description = "How often each variant is measured; more rounds detect smaller differences. Default: 5, or"
                    + " the number that the scenario needs.")
    private @Nullable Integer rounds;

    /**
     * Returns the scenarios that the options select.
     *
     * @param remarks receives a sentence for each omission, with its reason
     */
    List<Scenario> scenarios(boolean isEmbedded, List<String> remarks) {
        refuseEmpty("--scenario", "--variant", "--clients", "--rtt");
        refuse(
                zipf != null && (zipf < 0 || zipf > MOST_ZIPF),
                "--zipf " + zipf + " is out of range. Give a number from 0 to 20, such as 1.1.");
        Collection<Scenario> wanted = wanted(isEmbedded);
        List<Scenario> chosen = new ArrayList<>();
        for (Scenario scenario : wanted) {
            List<Variant> selected = scenario.variants().stream()
                    .filter(each -> isWanted(scenario, each))
                    .toList();
            String refusal = points(scenario).isEmpty()
                    ? "has none of the points that --point selects. It has: "
                            + scenario.points().stream()
                                    .map(Point::directLabel)
                                    .distinct()
                                    .collect(Collectors.joining(", "))
                            + "."
                    : compared(selected) < 2 && compared(scenario.variants()) > 1
                            ? "has no variant to compare that --variant selects. "
                                    + (Scenarios.named(scenario.name()).isPresent()
                                            ? "'list " + scenario.name() + "' shows its variants."
                                            : "It has " + labels(scenario.variants()) + ". "
                                                    + String.join(" ", remarks))
                            : "";
            if (refusal.isEmpty()) {
                Timing own = scenario.timing();
                Timing timed = seconds == null ? own : own.seconds(seconds);
                chosen.add(
                        scenario.with(points(scenario), selected).timed(rounds == null ? timed : timed.rounds(rounds)));
            } else {
                refuse(areNamed(), "The scenario " + scenario.name() + " " + refusal);
                remarks.add("Without " + scenario.name() + ": it " + refusal);
            }
        }
        refuse(chosen.isEmpty(), "No scenario has what --point and --variant select. Leave out one of them.");
        for (String name : variants) {
            refuse(
                    wanted.stream()
                            .flatMap(scenario -> scenario.variants().stream())
                            .noneMatch(each -> each.isCalled(name)),
                    "These scenarios have no variant '" + name.strip() + "'. 'list NAME' shows the variants.");
        }
        refuseWithoutEffect("--clients", !clients.isEmpty(), chosen, Scenario::isOverClients);
        chosen.stream()
                .filter(scenario -> !clients.isEmpty() && !scenario.isOverClients())
                .forEach(scenario -> remarks.add("--clients has no effect on " + scenario.name() + "."));
        refuseWithoutEffect("--zipf", zipf != null, chosen, scenario -> scenario.takes(ZIPF));
        return chosen;
    }

    /** Selects only this scenario, in place of the predefined scenarios. */
    void only(Function<@Nullable Double, Scenario> scenario) {
        refuse(
                areNamed(),
                "--scenario runs predefined scenarios, and --sql and --from run your own statement. Give one of them.");
        names = List.of(scenario.apply(zipf));
    }

    /** Rejects an option whose value has only commas. Its list is empty, so the default would run. */
    private void refuseEmpty(String... options) {
        for (String option : options) {
            Object given = command.commandLine().getParseResult().matchedOptionValue(option, null);
            refuse(
                    given instanceof List<?> values && values.isEmpty(),
                    option + " was given without a value. Give one or more values, or leave " + option + " out.");
        }
    }

    private void refuse(boolean isWrong, String message) {
        ToolCommand.refuse(command, isWrong, message);
    }

    private void refuseWithoutEffect(
            String option, boolean isGiven, List<Scenario> chosen, Predicate<Scenario> takesIt) {
        refuse(
                isGiven && chosen.stream().noneMatch(takesIt),
                option + " has no effect on these scenarios. Leave it out, or name one of: " + ScenarioName.all(takesIt)
                        + ".");
    }

    private static String labels(List<Variant> variants) {
        return variants.stream().map(Variant::label).collect(Collectors.joining(", "));
    }

    private Collection<Scenario> wanted(boolean isEmbedded) {
        return areNamed()
                ? new LinkedHashSet<>(names)
                : Scenarios.all().stream()
                        .filter(scenario -> scenario.brief() != null)
                        .map(scenario -> scenario.shortened(isEmbedded, !variants.isEmpty()))
                        .toList();
    }

    private static long compared(List<Variant> variants) {
        return variants.stream().filter(variant -> !variant.isControl()).count();
    }

    /** Whether the options select this variant. The baseline and controls are always selected. */
    private boolean isWanted(Scenario scenario, Variant variant) {
        return variants.isEmpty()
                || variant.equals(scenario.baseline())
                || variant.isControl()
                || variants.stream().anyMatch(variant::isCalled);
    }

    private List<Point> points(Scenario scenario) {
        List<Point> points = scenario.points().stream()
                .filter(point -> labels.isEmpty() || labels.contains(point.directLabel()))
                .toList();
        if (!clients.isEmpty() && scenario.isOverClients()) {
            List<Point> own = points;
            points = clients.stream()
                    .flatMap(number -> own.stream().map(point -> point.of(number)))
                    .distinct()
                    .toList();
        }
        if (zipf != null && scenario.takes(ZIPF)) {
            points = points.stream()
                    .map(point -> point.params().containsKey(ZIPF) ? point : point.with(ZIPF, String.valueOf(zipf)))
                    .toList();
        }
        return roundTrips.isEmpty()
                ? points
                : points.stream()
                        .flatMap(point -> roundTrips.stream().map(point::over))
                        .distinct()
                        .toList();
    }

    boolean areNamed() {
        return !names.isEmpty();
    }

    boolean areClientsGiven() {
        return !clients.isEmpty();
    }
}
