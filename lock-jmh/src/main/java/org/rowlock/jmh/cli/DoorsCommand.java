package org.rowlock.jmh.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.rowlock.jmh.bench.JdbcDoors;
import org.rowlock.jmh.doors.DoorRun;
import org.rowlock.jmh.run.ComparisonSettings;
import org.rowlock.jmh.run.Pace;
import org.rowlock.jmh.run.Room;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.ServerCheck;
import org.rowlock.jmh.server.ServerFacts;
import org.rowlock.tool.PositiveNumber;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ToolCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures every variant by which a user can lock and change a row. */
@Command(
        name = "doors",
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Measures one transaction (lock, read, write, commit) through every API of Rowlock, through JPA, and by"
                    + " hand. All these variants (doors) run in one JVM, in short slices, in a new random order"
                    + " each round.",
            "Without --url it starts an embedded PostgreSQL. On your own server it works in a separate schema, which"
                    + " it removes at the end.",
            ""
        },
        footer = {"", "Example:", "  doors --clients 1,10,90,300 --rtt 0,0.5ms --rows zipf,one --report out"})
final class DoorsCommand extends ToolCommand {
    private static final int LEAST_SLICE = 250;
    private static final int MOST_SLICE = 1_000;

    @Mixin
    private final ReportOption report = new ReportOption();

    @Option(
            names = "--clients",
            paramLabel = "<number>",
            split = ",",
            converter = PositiveNumber.class,
            defaultValue = "10,90",
            description = "How many threads. A tenth of the threads only read. Default: ${DEFAULT-VALUE}.")
    private List<Integer> clients = new ArrayList<>();

    @Option(
            names = "--rtt",
            paramLabel = "<time>",
            split = ",",
            converter = RoundTripTime.class,
            defaultValue = "0,0.5ms",
            description = "The round-trip time between clients and server, which a proxy adds. Default:"
                    + " ${DEFAULT-VALUE}.")
    private List<Double> roundTrips = new ArrayList<>();

    enum Rows {
        zipf,
        one
    }

    @Option(
            names = "--rows",
            paramLabel = "zipf|one",
            split = ",",
            defaultValue = "zipf",
            description = "What clients pick: one of 100 rows by zipf(s = 1.1), or one row for all. Default: zipf.")
    private List<Rows> rows = new ArrayList<>();

    @Option(
            names = "--writes",
            paramLabel = "<number>",
            converter = PositiveNumber.class,
            defaultValue = "1",
            description = "How many statements of a transaction write. JPA and a single UPDATE have one. Default: 1.")
    private int writes;

    @Option(
            names = "--doors",
            paramLabel = "<name>",
            split = ",",
            description =
                    "Which variants to run. Their baseline also runs: jpa-query with JPA, otherwise by-hand. Default:"
                            + " all. There are: by-hand, pool-16, pool-8, pool-4, lock, lock-and-read, in-transaction,"
                            + " both, advisory, at-commit, execute, groups, drop-in, update, drop-in-groups; with"
                            + " JPA jpa-query, jpa-find, jpa-row-lock, jpa-drop-in, jpa-drop-in-row-lock, jpa-flush,"
                            + " jpa-flush-row-lock, jpa-version.")
    private List<String> doors = new ArrayList<>(names(Scenarios.doors()));

    @Option(
            names = "--rounds",
            paramLabel = "<number>",
            converter = PositiveNumber.class,
            defaultValue = "12",
            description = "How many slices each variant runs at each point. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--slice",
            paramLabel = "<ms>",
            converter = PositiveNumber.class,
            defaultValue = "500",
            description = "How long a slice is, in milliseconds, from 250 to 1000. Default: ${DEFAULT-VALUE}.")
    private int sliceMillis;

    @Override
    public Integer call() throws IOException {
        ScenarioOptions.refuseEmpty(command, "--doors", "--clients", "--rtt", "--rows");
        List<String> names = names(Scenarios.doors());
        List<String> unknown =
                doors.stream().filter(name -> !names.contains(name)).toList();
        refuse(!unknown.isEmpty(), "There is no door " + unknown + ". There are: " + names + ".");
        refuse(
                sliceMillis < LEAST_SLICE || sliceMillis > MOST_SLICE,
                "--slice " + sliceMillis + " is out of range. Give 250 to 1000: shorter slices are inexact, and the"
                        + " machine drifts in longer ones.");
        ServerAddress address = server.address();
        List<Scenario> families = families();
        List<String> remarks = new ArrayList<>();
        if (address != null) {
            ServerFacts facts = ServerCheck.forBenchmarks(address);
            boolean areGiven = command.commandLine().getParseResult().hasMatchedOption("--clients");
            families = new Room(address, facts.room(), facts.lockTableRoom()).fit(families, areGiven, true, remarks);
            remarks.addAll(ServerCheck.remarks(facts));
        }
        Path directory = report.directory(command);
        out().println("Takes about " + Pace.text(estimate(families)) + ". Report: " + directory);
        remarks.addAll(Beforehand.remarks());
        remarks.forEach(out()::println);
        ComparisonSettings settings = new ComparisonSettings(
                families, address, 1, Program.version(), Program.given(command, server), remarks, null, null);
        DoorRun run = new DoorRun(settings, writes, out()::println, err()::println);
        return ReportOption.run(run, directory, out(), err());
    }

    private static List<String> names(List<Scenario> families) {
        return families.stream()
                .flatMap(family -> family.variants().stream())
                .map(Variant::door)
                .toList();
    }

    /** Returns the scenarios of the chosen variants, with their baselines and the chosen points. */
    List<Scenario> families() {
        List<Point> points = new ArrayList<>();
        for (double roundTrip : roundTrips) {
            for (Rows each : rows) {
                for (int number : clients) {
                    String label = Point.clients(number).label() + (each == Rows.one ? ", one row" : "");
                    Map<String, String> params =
                            Map.of(Point.CLIENTS, "" + number, Point.ROWS, "" + (each == Rows.one ? 1 : DoorRun.ROWS));
                    points.add(new Point(label, params, JdbcDoors.connections(number), 0).over(roundTrip));
                }
            }
        }
        Timing timing = new Timing(rounds, 0, 1, sliceMillis);
        return Scenarios.doors().stream()
                .map(family -> family.with(
                                points,
                                family.variants().stream()
                                        .filter(each -> each.equals(family.baseline()) || doors.contains(each.door()))
                                        .toList())
                        .timed(timing))
                .filter(family -> family.variants().stream().map(Variant::door).anyMatch(doors::contains))
                .toList();
    }

    /**
     * Estimates the time of the run: the slices, six more of each variant for the warm-up, plus a third for connections
     * and server starts.
     */
    private Duration estimate(List<Scenario> families) {
        int turns = names(families).size() + families.size();
        return Duration.ofMillis(sliceMillis)
                .multipliedBy((long) families.get(0).points().size() * (rounds + 6) * turns)
                .multipliedBy(4)
                .dividedBy(3);
    }
}
