package org.rowlock.doctor;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Looks at a running server. */
@Command(
        name = "doctor",
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Looks at a running server and says whether row locks hurt it: what sessions wait for, at which tables, rows"
                    + " and statements, what row locks leave behind, and what to do, table by table, with the figure behind"
                    + " each line. It changes nothing there: it reads system views, in read-only transactions, and the"
                    + " primary keys of rows that are waited for.",
            "Run it while the server is busy; it can only judge what it sees. Any user will do. One with"
                    + " pg_read_all_stats (or pg_monitor) sees most; the report says what is missing.",
            ""
        },
        footer = {"", "Example:", "  doctor --url jdbc:postgresql://db:5432/app --user app --password --seconds 60"})
public final class DoctorCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Mixin
    @SuppressWarnings("unused")
    private final HelpOption help = new HelpOption();

    @Option(
            names = "--seconds",
            paramLabel = "<number>",
            order = 10,
            defaultValue = "20",
            converter = PositiveNumber.class,
            description = "How long to look. Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(
            names = "--json",
            paramLabel = "<file>",
            order = 31,
            description = "Writes the findings there too, with all figures as numbers.")
    private @Nullable Path json;

    @Override
    public Integer call() {
        ServerAddress address = server.required();
        if (json != null) {
            checkWritable(json);
        }
        PrintWriter progress = command.commandLine().getErr();
        progress.println("Looking at " + address.shown() + " for " + seconds + " s. Nothing is changed there.");
        progress.flush();
        Diagnosis report = Doctor.examine(address, Duration.ofSeconds(seconds));
        PrintWriter out = command.commandLine().getOut();
        out.print(report.text());
        out.flush();
        if (json != null) {
            write(json, report.json());
        }
        return ExitCode.OK;
    }

    /** Before the looking, not after it. */
    private void checkWritable(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file) || directory == null || !Files.isWritable(directory)) {
            throw new ParameterException(
                    command.commandLine(),
                    "--json: " + file
                            + " cannot be written. Give a file in a directory that exists and may be written to.");
        }
    }

    private static void write(Path file, String json) {
        try {
            Files.writeString(file, json + System.lineSeparator());
        } catch (IOException e) {
            throw new UserError(
                    "The findings could not be written to " + file + ": " + e.getMessage()
                            + ". Give another file with --json.",
                    e);
        }
    }
}
