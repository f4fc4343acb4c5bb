package org.rowlock.jmh.cli;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.doctor.PositiveNumber;
import org.rowlock.jmh.bench.Instances;
import org.rowlock.jmh.bench.Scenarios;
import org.rowlock.jmh.bench.Strategy;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What is run, and how long. A mixin for commands. */
final class ScenarioOptions {
    private static final String ZIPF = "zipf";
    private static final List<String> STRATEGIES = Stream.of(
                    Strategy.ROW,
                    Strategy.BOTH,
                    Strategy.ADVISORY,
                    Strategy.FOR_UPDATE,
                    Strategy.IN_FRONT,
                    Strategy.NAIVE,
                    Strategy.HAND_WRITTEN,
                    Strategy.OPTIMISTIC)
            .map(strategy -> strategy.name().toLowerCase(Locale.ROOT))
            .toList();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(
            names = "--scenario",
            paramLabel = "<name>",
            split = ",",
            description = "What to find out, by name; 'list' shows the names. Default: the few that matter most, with"
                    + " fewer points and variants than they have when named.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--all", description = "Every scenario. Takes many hours.")
    private boolean all;

    @Option(
            names = "--strategy",
            paramLabel = "<strategy>",
            split = ",",
            description = "Which to compare: row (SELECT ... FOR UPDATE), both (the advisory lock in front of it),"
                    + " advisory (the advisory lock alone); where a scenario has them also for_update, in_front,"
                    + " naive and hand_written (by hand) and optimistic (a version column). Default: all. A scenario's first, which"
                    + " ratios refer to, always runs.")
    private List<String> strategies = new ArrayList<>();

    @Option(
            names = "--beside",
            paramLabel = "<jars>",
            description =
                    "Another version of the library: a class path of its jars, as of an older lock-core and"
                            + " lock-jdbc. Where clients are processes of their own, see instances, it is measured beside this one.")
    private @Nullable String beside;

    /** With, without or both. */
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
            names = "--clients",
            paramLabel = "<number>",
            split = ",",
            converter = PositiveNumber.class,
            description = "How many at a time, such as 1,10,90,300, for scenarios that are run over clients.")
    private List<Integer> clients = new ArrayList<>();

    @Option(
            names = "--rtt",
            paramLabel = "<time>",
            split = ",",
            converter = RoundTripTime.class,
            description =
                    "The round trip of a network between clients and server, such as 0.5ms, or several: 0,0.5ms,1ms. A"
                            + " proxy makes it. Default: none; on an embedded server without --scenario hot rows are measured"
                            + " with 0.5ms too.")
    private List<Double> roundTrips = new ArrayList<>();

    @Option(
            names = "--zipf",
            paramLabel = "<exponent>",
            converter = ZipfExponent.class,
            description = "How uneven the keys are: 0 is even, and from 1 on a few keys get most. Default: 1.1.")
    private @Nullable Double zipf;

    @Option(
            names = "--seconds",
            paramLabel = "<number>",
            converter = PositiveNumber.class,
            description = "How long each measurement takes. Default: 3, or what the scenario needs.")
    private @Nullable Integer seconds;

    @Option(
            names = "--rounds",
            paramLabel = "<number>",
            converter = PositiveNumber.class,
            description = "How often everything is measured; the more, the smaller the differences that can be told."
                    + " Default: 4, or what the scenario needs.")
    private @Nullable Integer rounds;

    /**
     * What the options come to.
     *
     * @param isEmbedded whether the server is ours
     * @param mayBeKilled whether scenarios may kill the server
     * @param remarks is added what is left out, and why
     * @throws ParameterException if they contradict each other or name what there is not
     */
    List<Scenario> scenarios(boolean isEmbedded, boolean mayBeKilled, List<String> remarks) {
        refuseEmpty("--scenario", names);
        refuseEmpty("--strategy", strategies);
        refuseEmpty("--clients", clients);
        refuseEmpty("--rtt", roundTrips);
        for (String strategy : strategies) {
            if (!STRATEGIES.contains(strategy.toLowerCase(Locale.ROOT))) {
                throw unknown("strategy", strategy, STRATEGIES);
            }
        }
        List<Scenario> chosen = new ArrayList<>();
        for (Scenario scenario : wanted(isEmbedded)) {
            List<Variant> variants = variants(scenario);
            String refusal = compared(variants) < 2 && compared(scenario.variants()) > 1
                    ? "compares none of what --strategy and --admission ask for; it has "
                            + String.join(
                                    ", ",
                                    scenario.variants().stream()
                                            .map(Variant::label)
                                            .toList()) + "."
                    : scenario.killsServer() && !mayBeKilled
                            ? "kills the server and starts it again, which this program cannot do to a server of yours."
                                    + " Give a shell command that does with --crash-command, or leave out --url for an"
                                    + " embedded server."
                            : "";
            if (refusal.isEmpty()) {
                chosen.add(scenario.with(points(scenario), variants).timed(timing(scenario.timing())));
            } else if (areNamed()) {
                throw usage("The scenario " + scenario.name() + " " + refusal);
            } else {
                remarks.add("Without " + scenario.name() + ": it " + refusal);
            }
        }
        refuseWithoutEffect(chosen);
        return chosen;
    }

    /** A list of nothing but commas would else be taken for none at all, and the default would run. */
    private void refuseEmpty(String option, List<?> given) {
        if (given.isEmpty() && command.commandLine().getParseResult().hasMatchedOption(option)) {
            throw usage(option + " was given without a value. Give one or more, with a comma between them, or leave "
                    + option + " out.");
        }
    }

    private List<Scenario> wanted(boolean isEmbedded) {
        if (all && !names.isEmpty()) {
            throw usage("--all runs every scenario, and --scenario some. Give one of them.");
        }
        if (all) {
            return Scenarios.all();
        }
        if (names.isEmpty()) {
            return DefaultScenarios.scenarios(isEmbedded, !strategies.isEmpty());
        }
        Set<Scenario> named = new LinkedHashSet<>();
        for (String name : names) {
            named.add(Scenarios.named(name.trim().toLowerCase(Locale.ROOT))
                    .orElseThrow(() -> unknown("scenario", name.trim(), Scenarios.names())));
        }
        return List.copyOf(named);
    }

    /** The baseline is what ratios refer to, and variants that are no strategies are all wanted. */
    private List<Variant> variants(Scenario scenario) {
        return allVariants(scenario)
                .filter(variant -> variant.equals(scenario.baseline())
                        || variant.isControl()
                        || variant.strategy().isEmpty()
                        || isWanted(variant))
                .toList();
    }

    private Stream<Variant> allVariants(Scenario scenario) {
        return beside == null || !has(scenario, Instances.LIBRARY)
                ? scenario.variants().stream()
                : scenario.variants().stream()
                        .flatMap(variant -> variant.isOfLibrary()
                                ? Stream.of(variant, variant.with(", beside", Instances.LIBRARY, beside))
                                : Stream.of(variant));
    }

    private static long compared(List<Variant> variants) {
        return variants.stream().filter(variant -> !variant.isControl()).count();
    }

    private boolean isWanted(Variant variant) {
        return (strategies.isEmpty() || strategies.stream().anyMatch(name -> name.equalsIgnoreCase(variant.strategy())))
                && (admission == Admission.both || variant.hasAdmission() == (admission == Admission.on));
    }

    private List<Point> points(Scenario scenario) {
        List<Point> points = scenario.points();
        if (!clients.isEmpty() && scenario.isOverClients()) {
            Point first = points.get(0);
            int locks = (int) (first.locks() / first.clients());
            int beside = first.connections() - first.clients();
            points = clients.stream()
                    .distinct()
                    .map(number ->
                            Point.clients(number).connecting(number + beside).locking(locks))
                    .toList();
        }
        if (zipf != null && has(scenario, ZIPF)) {
            points = points.stream()
                    .map(point -> point.with(ZIPF, String.valueOf(zipf)))
                    .toList();
        }
        if (!roundTrips.isEmpty()) {
            points = points.stream()
                    .flatMap(point -> roundTrips.stream().map(point::over))
                    .distinct()
                    .toList();
        }
        return points;
    }

    private static boolean has(Scenario scenario, String param) {
        return Arrays.stream(scenario.benchmark().getFields())
                .filter(field -> field.isAnnotationPresent(Param.class))
                .map(Field::getName)
                .anyMatch(param::equals);
    }

    private Timing timing(Timing own) {
        Timing timed = seconds == null ? own : own.seconds(seconds);
        return rounds == null ? timed : timed.rounds(rounds);
    }

    /** Whether the user wants each scenario that runs. */
    boolean areNamed() {
        return !names.isEmpty();
    }

    boolean areClientsGiven() {
        return !clients.isEmpty();
    }

    /** Whether the run may be shortened: nobody said how much is to run. */
    boolean isDefault() {
        return names.isEmpty() && !all && rounds == null && seconds == null && roundTrips.isEmpty();
    }

    private void refuseWithoutEffect(List<Scenario> chosen) {
        if (chosen.isEmpty()) {
            throw usage("None of the scenarios compares what --strategy and --admission ask for.");
        }
        if (!clients.isEmpty() && chosen.stream().noneMatch(Scenario::isOverClients)) {
            throw usage(
                    "--clients has no effect: none of the scenarios leaves the number of clients to you. Those that do: "
                            + namesOf(Scenario::isOverClients) + ".");
        }
        if (zipf != null && chosen.stream().noneMatch(scenario -> has(scenario, ZIPF))) {
            throw usage("--zipf has no effect: none of the scenarios has keys of that distribution. Those that do: "
                    + namesOf(scenario -> has(scenario, ZIPF)) + ".");
        }
        if (beside != null && chosen.stream().noneMatch(scenario -> has(scenario, Instances.LIBRARY))) {
            throw usage("--beside has no effect: in none of the scenarios are clients processes of their own. Those"
                    + " where they are: " + namesOf(scenario -> has(scenario, Instances.LIBRARY)) + ".");
        }
    }

    private static String namesOf(Predicate<Scenario> which) {
        return String.join(
                ", ", Scenarios.all().stream().filter(which).map(Scenario::name).toList());
    }

    private ParameterException unknown(String what, String given, List<String> known) {
        return usage(Nearest.message(what, given, known));
    }

    private ParameterException usage(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
