package org.rowlock.jmh.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.bench.Strategy;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.tool.PositiveNumber;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

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
            converter = Named.class,
            description = "The scenarios to run, by name; 'list' shows the names. Default: the most important"
                    + " scenarios, shortened to a few points and variants.")
    private List<Scenario> names = new ArrayList<>();

    @Option(names = "--all", description = "Runs every scenario, which takes many hours.")
    private boolean all;

    @Option(
            names = "--strategy",
            paramLabel = "<strategy>",
            split = ",",
            description = "The strategies to compare: row (SELECT ... FOR UPDATE), both (an advisory lock before the"
                    + " row lock), advisory (an advisory lock alone). Some scenarios also have for_update, in_front"
                    + " and naive (by hand), and optimistic (a version column). Default: all. The first variant of"
                    + " a scenario, the baseline, and variants without a strategy always run.")
    private List<Strategy> strategies = new ArrayList<>();

    static final class Named implements ITypeConverter<Scenario> {
        @Override
        public Scenario convert(String name) {
            return Scenarios.named(name.trim().toLowerCase(Locale.ROOT))
                    .orElseThrow(() -> new TypeConversionException(
                            "There is no scenario '" + name + "'. There are: " + names(scenario -> true) + "."));
        }
    }

    enum Admission {
        on,
        off,
        both
    }

    @Option(
            names = "--admission",
            paramLabel = "on|off|both",
            description = "Whether threads queue in the JVM before they borrow a connection. Default: both.")
    private Admission admission = Admission.both;

    @Option(
            names = "--doors",
            paramLabel = "<name>",
            split = ",",
            description = "The variants to run of a scenario without strategies, by their parameter 'door', such as"
                    + " execute,drop-in. 'list NAME' shows the names. The first variant always runs. Default: all.")
    private List<String> doors = new ArrayList<>();

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
     * @param mayNotKill the reason why scenarios must not kill the server; empty if scenarios are permitted to kill it
     * @param remarks receives a sentence for each omission, with its reason
     * @throws ParameterException if the options contradict each other, or name something that does not exist
     */
    List<Scenario> scenarios(boolean isEmbedded, String mayNotKill, List<String> remarks) {
        refuseEmpty("--scenario", "--strategy", "--doors", "--clients", "--rtt");
        refuse(all && areNamed(), "--all runs every scenario, and --scenario some. Give one of them.");
        refuse(
                zipf != null && (zipf < 0 || zipf > MOST_ZIPF),
                "--zipf " + zipf + " is out of range. Give a number from 0 to 20, such as 1.1.");
        Collection<Scenario> wanted = wanted(isEmbedded);
        List<String> there = wanted.stream()
                .flatMap(scenario -> scenario.variants().stream())
                .map(Variant::door)
                .filter(door -> !door.isEmpty())
                .distinct()
                .toList();
        refuse(!there.containsAll(doors), "--doors " + doors + " is not in these scenarios. They have " + there + ".");
        List<Scenario> chosen = new ArrayList<>();
        for (Scenario scenario : wanted) {
            List<Variant> variants = scenario.variants().stream()
                    .filter(each -> isWanted(scenario, each))
                    .toList();
            String refusal = points(scenario).isEmpty()
                    ? "has none of the points that --point selects. It has: "
                            + scenario.points().stream()
                                    .map(Point::directLabel)
                                    .distinct()
                                    .collect(Collectors.joining(", "))
                            + "."
                    : compared(variants) < 2 && compared(scenario.variants()) > 1
                            ? "has no variant to compare that --strategy, --admission and --doors select. "
                                    + (Scenarios.named(scenario.name()).isPresent()
                                            ? "'list " + scenario.name() + "' shows its variants."
                                            : "It has " + labels(scenario.variants()) + ". "
                                                    + String.join(" ", remarks))
                            : scenario.killsServer() ? mayNotKill : "";
            if (refusal.isEmpty()) {
                Timing own = scenario.timing();
                Timing timed = seconds == null ? own : own.seconds(seconds);
                chosen.add(
                        scenario.with(points(scenario), variants).timed(rounds == null ? timed : timed.rounds(rounds)));
            } else {
                refuse(areNamed(), "The scenario " + scenario.name() + " " + refusal);
                remarks.add("Without " + scenario.name() + ": it " + refusal);
            }
        }
        refuse(
                chosen.isEmpty(),
                "No scenario has what " + (labels.isEmpty() ? "" : "--point, ") + "--strategy, --admission and --doors"
                        + " select. Leave out one of these options.");
        refuseWithoutEffect("--clients", !clients.isEmpty(), chosen, Scenario::isOverClients);
        chosen.stream()
                .filter(scenario -> !clients.isEmpty() && !scenario.isOverClients())
                .forEach(scenario -> remarks.add("--clients has no effect on " + scenario.name() + "."));
        refuseWithoutEffect("--zipf", zipf != null, chosen, scenario -> scenario.takes(ZIPF));
        return chosen;
    }

    /** Replaces the list of scenarios by one scenario that is not in the list. */
    void only(Function<@Nullable Double, Scenario> scenario) {
        refuse(
                all || areNamed(),
                "--scenario and --all run predefined scenarios, and --sql and --from run your own statement. Give one"
                        + " of them.");
        names = List.of(scenario.apply(zipf));
    }

    /** Refuses a list of only commas, which is empty. Without this check the default would run. */
    private void refuseEmpty(String... options) {
        for (String option : options) {
            Object given = command.commandLine().getParseResult().matchedOptionValue(option, null);
            refuse(
                    given instanceof List<?> values && values.isEmpty(),
                    option + " was given without a value. Give one or more, with a comma between them, or leave "
                            + option + " out.");
        }
    }

    void refuse(boolean isWrong, String message) {
        if (isWrong) {
            throw new ParameterException(command.commandLine(), message);
        }
    }

    private void refuseWithoutEffect(
            String option, boolean isGiven, List<Scenario> chosen, Predicate<Scenario> takesIt) {
        refuse(
                isGiven && chosen.stream().noneMatch(takesIt),
                option + " has no effect on these scenarios. Leave it out, or name one of: " + names(takesIt) + ".");
    }

    private static String labels(List<Variant> variants) {
        return variants.stream().map(Variant::label).collect(Collectors.joining(", "));
    }

    private static String names(Predicate<Scenario> which) {
        return Scenarios.known().stream().filter(which).map(Scenario::name).collect(Collectors.joining(", "));
    }

    private Collection<Scenario> wanted(boolean isEmbedded) {
        return areNamed()
                ? new LinkedHashSet<>(names)
                : all
                        ? Scenarios.all()
                        : Scenarios.all().stream()
                                .filter(scenario -> scenario.brief() != null)
                                .map(scenario -> scenario.shortened(isEmbedded, !strategies.isEmpty()))
                                .toList();
    }

    private static long compared(List<Variant> variants) {
        return variants.stream().filter(variant -> !variant.isControl()).count();
    }

    /** Whether the options select this variant. The baseline and controls are always selected. */
    private boolean isWanted(Scenario scenario, Variant variant) {
        if (variant.strategy().isEmpty()) {
            return variant.equals(scenario.baseline()) || doors.isEmpty() || doors.contains(variant.door());
        }
        return variant.equals(scenario.baseline())
                || variant.isControl()
                || ((strategies.isEmpty()
                                || strategies.stream()
                                        .anyMatch(each -> each.name().equals(variant.strategy())))
                        && (admission == Admission.both || variant.hasAdmission() == (admission == Admission.on)));
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
