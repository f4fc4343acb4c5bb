package org.rowlock.jmh.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Diagnosis;
import org.rowlock.doctor.Doctor;
import org.rowlock.doctor.HelpOption;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.doctor.ServerOptions;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.run.Comparison;
import org.rowlock.jmh.run.ComparisonSettings;
import org.rowlock.jmh.run.RunResults;
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
            "Measures row locks against advisory locks, and writes a report: an HTML page, and JMH's results beside it.",
            "Without --url it starts an embedded PostgreSQL. On a server of yours it works in a schema of its own, which"
                    + " it removes at the end.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  compare",
            "  compare --url jdbc:postgresql://db:5432/app --user bench --password",
            "  compare --scenario clients --clients 1,10,90,300 --zipf 1.1 --seconds 20 --report out"
        })
final class CompareCommand implements Callable<Integer> {
    private static final int INTERRUPTED = 130;

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
            order = 30,
            description = "A shell command that kills your server and starts it again, for scenarios that need it.")
    private @Nullable String crashCommand;

    @Option(
            names = "--report",
            paramLabel = "<directory>",
            order = 31,
            description = "Where the report goes. Default: rowlock-report-<date>-<time>, in the working directory.")
    private @Nullable Path report;

    @Option(names = "--yes", order = 32, description = "Begins without asking. It asks only in a terminal, with --url.")
    private boolean yes;

    @Override
    public Integer call() throws IOException {
        if (report != null && Files.exists(report) && !Files.isDirectory(report)) {
            throw usage(
                    "--report: " + report + " is a file, and the report is a directory of files. Give another name.");
        }
        ServerAddress address = server.address();
        if (address == null && crashCommand != null) {
            throw usage("--crash-command is for a server of yours, and an embedded one needs none. Give --url too, or"
                    + " leave it out.");
        }
        Choices choices = scenarios.choices(address == null || crashCommand != null);
        ServerFacts facts = address == null ? null : ServerCheck.forBenchmarks(address);
        if (address != null && facts != null) {
            choices = new Room(address, facts.room(), facts.lockTableRoom())
                    .fit(choices, scenarios.areClientsGiven(), scenarios.areNamed());
        }
        JmhLock.refuseWhileAnotherRuns();
        try (ReportDirectory directory = ReportDirectory.make(report)) {
            List<String> remarks = facts == null ? List.of() : ServerCheck.remarks(facts);
            new Plan(choices, address, facts, remarks, directory.path()).print(out());
            if (address != null && !yes && Terminal.isInteractive() && !Terminal.confirm("Go on?")) {
                command.commandLine().getErr().println("Nothing was done.");
                return ExitCode.SOFTWARE;
            }
            return run(address, choices, directory);
        }
    }

    private int run(@Nullable ServerAddress address, Choices choices, ReportDirectory directory) throws IOException {
        PrintWriter err = command.commandLine().getErr();
        ConsoleProgress progress = new ConsoleProgress(out(), err, Terminal.isInteractive());
        Comparison comparison = new Comparison(
                new ComparisonSettings(
                        choices.chosen().stream().map(Choice::selection).toList(),
                        address,
                        1,
                        RepeatCommand.of(
                                command.commandLine()
                                        .getParent()
                                        .getParseResult()
                                        .originalArgs(),
                                server.givenPassword()),
                        crashCommand),
                progress);
        try (Interruption interruption = new Interruption(comparison::stop, comparison::isClean, err)) {
            try {
                Diagnosis look = address == null ? null : look(address);
                RunResults results = comparison.run();
                progress.clear();
                Outcome outcome = new Outcome(results, choices, interruption.isInterrupted());
                outcome.write(look, directory.path(), out(), err);
                if (interruption.isInterrupted()) {
                    return INTERRUPTED;
                }
                return outcome.isGood() ? ExitCode.OK : ExitCode.SOFTWARE;
            } finally {
                // Interrupted, the JVM ends as soon as the interruption is closed.
                directory.close();
            }
        }
    }

    /** No reason not to measure: what the doctor cannot see it says itself. */
    private @Nullable Diagnosis look(ServerAddress address) {
        try {
            out().println("Looking for " + LOOK.toSeconds() + " s at what the server does now, as the doctor does.");
            out().flush();
            return Doctor.examine(address, LOOK);
        } catch (UserError e) {
            command.commandLine().getErr().println("Without a look at the server: " + e.getMessage());
            return null;
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(command.commandLine(), message);
    }

    private PrintWriter out() {
        return command.commandLine().getOut();
    }
}
