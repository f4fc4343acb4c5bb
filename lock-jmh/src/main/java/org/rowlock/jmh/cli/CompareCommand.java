package org.rowlock.jmh.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Doctor;
import org.rowlock.doctor.HelpOption;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.doctor.ServerOptions;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.report.Report;
import org.rowlock.jmh.report.Summary;
import org.rowlock.jmh.run.Comparison;
import org.rowlock.jmh.run.ComparisonSettings;
import org.rowlock.jmh.run.Results;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.ServerCheck;
import org.rowlock.jmh.server.ServerFacts;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures scenarios and writes a report. */
@Command(
        name = "compare",
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Measures row locks against advisory locks, and writes a report: an HTML page, and its results as JSON.",
            "Without --url it starts an embedded PostgreSQL. On a server of yours it works in a schema of its own, which"
                    + " it removes at the end.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  compare",
            "  compare --url jdbc:postgresql://db:5432/app --user bench --password",
            "  compare --scenario clients --clients 1,10,90,300 --rtt 0,0.5ms --seconds 20 --report out"
        })
final class CompareCommand implements Callable<Integer> {
    private static final int INTERRUPTED = 130;

    /** Of a run that nobody has asked more of. */
    private static final Duration BUDGET = Duration.ofMinutes(15);

    /** Before the run, so that the report can say which of the server's own tables come first. */
    private static final Duration LOOK = Duration.ofSeconds(10);

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Mixin
    private final ScenarioOptions scenarios = new ScenarioOptions();

    @Mixin
    @SuppressWarnings("unused")
    private final HelpOption help = new HelpOption();

    @Option(
            names = "--crash-command",
            paramLabel = "<command>",
            description = "A shell command that kills your server and starts it again, for scenarios that need it.")
    private @Nullable String crashCommand;

    @Option(
            names = "--standby",
            paramLabel = "<time>",
            arity = "0..1",
            fallbackValue = "0.5ms",
            converter = RoundTripTime.class,
            description =
                    "Gives the embedded server a synchronous standby, on the same machine, as far away as this round"
                            + " trip says: 0, 0.5ms, 1ms. Without a time it is 0.5ms.")
    private @Nullable Double standby;

    @Option(
            names = "--report",
            paramLabel = "<directory>",
            description = "Where the report goes. Default: rowlock-report-<date>-<time>, in the working directory.")
    private @Nullable Path report;

    @Option(names = "--yes", description = "Begins without asking. It asks only in a terminal, with --url.")
    private boolean yes;

    @Override
    public Integer call() throws IOException {
        if (report != null && Files.exists(report) && !Files.isDirectory(report)) {
            throw usage(
                    "--report: " + report + " is a file, and the report is a directory of files. Give another name.");
        }
        if (report != null && Files.exists(report.resolve(Report.PAGE))) {
            throw usage("--report: there is a report in " + report + " already. Give another directory, or remove it.");
        }
        ServerAddress address = server.address();
        if (address == null && crashCommand != null) {
            throw usage("--crash-command is for a server of yours, and an embedded one needs none. Give --url too, or"
                    + " leave it out.");
        }
        if (address != null && standby != null) {
            throw usage(
                    "--standby is for an embedded server; yours has the standbys that it has, and the report shows its"
                            + " synchronous_standby_names. Leave out --standby or --url.");
        }
        List<String> remarks = new ArrayList<>();
        List<Scenario> chosen = scenarios.scenarios(address == null, address == null || crashCommand != null, remarks);
        if (standby != null && chosen.stream().anyMatch(Scenario::killsServer)) {
            chosen = withoutKilling(chosen, remarks);
        }
        ServerFacts facts = address == null ? null : ServerCheck.forBenchmarks(address);
        if (address != null && facts != null) {
            remarks.addAll(ServerCheck.remarks(facts));
            chosen = new Room(address, facts.room(), facts.lockTableRoom())
                    .fit(chosen, scenarios.areClientsGiven(), scenarios.areNamed(), remarks);
        }
        JmhLock.refuseWhileAnotherRuns();
        ReportDirectory directory = ReportDirectory.of(report);
        new Plan(chosen, address, facts, remarks, directory.path(), standby).print(out());
        if (address != null && !yes && Terminal.isInteractive() && !Terminal.confirm("Go on?")) {
            command.commandLine().getErr().println("Nothing was done.");
            return ExitCode.SOFTWARE;
        }
        return run(
                new ComparisonSettings(
                        chosen,
                        address,
                        1,
                        scenarios.isDefault() ? BUDGET : null,
                        new Versions().getVersion()[0],
                        command(),
                        remarks,
                        crashCommand,
                        standby),
                directory);
    }

    /** Each round of those has a server of its own, which has no standby. */
    private List<Scenario> withoutKilling(List<Scenario> chosen, List<String> remarks) {
        List<Scenario> left =
                chosen.stream().filter(scenario -> !scenario.killsServer()).toList();
        String why = "it kills its server, and has none with a standby.";
        for (Scenario scenario : chosen) {
            if (scenario.killsServer() && scenarios.areNamed()) {
                throw usage("--standby is not for the scenario " + scenario.name() + ": " + why
                        + " Leave one of them out.");
            }
            if (scenario.killsServer()) {
                remarks.add("Without " + scenario.name() + ": " + why);
            }
        }
        return left;
    }

    private String command() {
        return RepeatCommand.of(
                command.commandLine().getParent().getParseResult().originalArgs(), server.givenPassword());
    }

    private int run(ComparisonSettings settings, ReportDirectory directory) throws IOException {
        PrintWriter err = command.commandLine().getErr();
        ConsoleProgress progress = new ConsoleProgress(out(), err, Terminal.isInteractive());
        Comparison comparison = new Comparison(settings, progress);
        // The directory is closed first: interrupted, the JVM ends as soon as the interruption is closed.
        try (Interruption interruption = new Interruption(comparison::stop, comparison::isClean, err);
                directory) {
            directory.make();
            ServerAddress address = settings.server();
            if (address != null) {
                look(address);
            }
            Results results = comparison.run();
            progress.clear();
            boolean isGood = tell(results, directory.path());
            return interruption.isInterrupted() ? INTERRUPTED : isGood ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }

    /** Whether everything that was to run has run, and kept its promises. */
    private boolean tell(Results results, Path directory) throws IOException {
        PrintWriter err = command.commandLine().getErr();
        if (results.scenarios().isEmpty()) {
            err.println("There is nothing to report: no measurement was finished.");
        } else {
            out().println(Summary.of(results));
            out().println("Report: " + Report.write(results, directory));
        }
        results.failures().forEach(failure -> err.println("Failed: " + failure));
        out().flush();
        return results.failures().isEmpty() && !results.scenarios().isEmpty();
    }

    /** No reason not to measure: what the doctor cannot see it says itself. */
    private void look(ServerAddress address) {
        try {
            out().println("Looking for " + LOOK.toSeconds() + " s at what the server does now, as the doctor does.");
            out().flush();
            out().println(Doctor.examine(address, LOOK).text());
        } catch (UserError e) {
            command.commandLine().getErr().println("Without a look at the server: " + e.getMessage());
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(command.commandLine(), message);
    }

    private PrintWriter out() {
        return command.commandLine().getOut();
    }
}
