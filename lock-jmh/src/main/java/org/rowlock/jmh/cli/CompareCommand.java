package org.rowlock.jmh.cli;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.bench.JdbcDoors;
import org.rowlock.jmh.run.Comparison;
import org.rowlock.jmh.run.ComparisonSettings;
import org.rowlock.jmh.run.Machine;
import org.rowlock.jmh.run.Room;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.ServerCheck;
import org.rowlock.jmh.server.ServerFacts;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ToolCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "compare",
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Measures row locks against advisory locks, and writes a report: an HTML page, and its results as JSON.",
            "Without --url it starts an embedded PostgreSQL. On your own server it works in a separate schema, which"
                    + " it removes at the end.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  compare",
            "  compare --url jdbc:postgresql://db:5432/app --user bench --password",
            "  compare --url jdbc:postgresql://db/app --sql lock.sql --work work.sql --hottest 5",
            "  compare --scenario clients --clients 1,10,90,300 --rtt 0,0.5ms --seconds 20 --report out",
            "  compare --scenario doors,doors-jpa"
        })
final class CompareCommand extends ToolCommand {
    @Mixin
    private final ScenarioOptions scenarios = new ScenarioOptions();

    @Mixin
    private final OwnOptions own = new OwnOptions();

    @Mixin
    private final ReportOption report = new ReportOption();

    @Option(
            names = "--standby",
            paramLabel = "<time>",
            arity = "0..1",
            fallbackValue = "0.5ms",
            converter = RoundTripTime.class,
            description = "Adds a synchronous standby to the embedded server, on the same machine, with this round-trip"
                    + " time: 0, 0.5ms, 1ms. Without a time: 0.5ms.")
    private @Nullable Double standby;

    @Option(names = "--yes", description = "Starts without asking. The program asks only in a terminal, with --url.")
    private boolean yes;

    @Override
    public Integer call() throws IOException {
        ServerAddress address = server.address();
        refuse(
                address != null && standby != null,
                "--standby adds a standby to an embedded server, and cannot add one to your server. Leave out"
                        + " --standby or --url.");
        Machine.refuseBesideJmh();
        Path directory = report.directory(command);
        List<String> remarks = new ArrayList<>();
        ServerFacts facts = null;
        if (own.areGiven(address) && address != null) {
            facts = ServerCheck.forBenchmarks(address, remarks);
            scenarios.only(zipf -> own.scenario(address, zipf, remarks));
        }
        List<Scenario> chosen = scenarios.scenarios(address == null, remarks).stream()
                .map(CompareCommand::withConnections)
                .toList();
        refuse(
                address != null && chosen.stream().anyMatch(Scenario::killsServer),
                "The scenario lock-loss kills the server, which is allowed only for an embedded one. Leave out --url,"
                        + " or this scenario.");
        if (address != null) {
            facts = facts == null ? ServerCheck.forBenchmarks(address, remarks) : facts;
            chosen = new Room(address, facts.room(), facts.lockTableRoom())
                    .fit(chosen, scenarios.areClientsGiven(), scenarios.areNamed(), remarks);
        }
        remarks.addAll(Machine.remarks());
        out().println(Plan.of(chosen, facts, remarks, directory));
        if (address != null && !yes && isRefused()) {
            err().println("Nothing was done.");
            return ExitCode.SOFTWARE;
        }
        ComparisonSettings settings = new ComparisonSettings(
                chosen,
                address,
                1,
                Program.version(),
                Program.given(command, server),
                remarks,
                standby,
                own.statement());
        return ReportOption.run(new Comparison(settings, out()::println, err()::println), directory, out(), err());
    }

    /** Requires connections for all variants at once if the variants share a JVM. */
    private static Scenario withConnections(Scenario scenario) {
        if (!scenario.sharesJvm()) {
            return scenario;
        }
        List<Point> points = scenario.points().stream()
                .map(point -> point.needing(JdbcDoors.connections(point.clients())))
                .toList();
        return scenario.with(points, scenario.variants());
    }

    /** Asks the user to confirm the run. Without a terminal the run is confirmed; see {@link Program#run}. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isRefused() {
        Console console = System.console();
        String answer = console == null ? "y" : console.readLine("Continue? [y/N] ");
        return answer == null || !answer.trim().matches("(?i)y|yes");
    }
}
