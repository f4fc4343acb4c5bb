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
            "Looks at a running server and says whether row locks hurt it, and what to do first: table by table,"
                    + " with the statement and the figure behind each line. It changes nothing there: it reads system"
                    + " views, in read-only transactions.",
            "Run it while the server is busy; it can only judge what it sees. Any user will do. One with"
                    + " pg_read_all_stats (or pg_monitor), where pg_stat_statements is installed, sees most; what is"
                    + " missing is said.",
            ""
        },
        footer = {
            "",
            "Example:",
            "  doctor --url jdbc:postgresql://db:5432/app --user app --password --seconds 60",
            "",
            "Exit status: 0 if it could look, whatever it saw; 1 if not; 2 for wrong usage."
        })
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
            defaultValue = "20",
            converter = PositiveNumber.class,
            description = "How long to look. Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(names = "--details", description = "More than one screen: reasons, causes, statements, wait events.")
    private boolean details;

    @Option(names = "--show-keys", description = "Reads and shows the primary keys of the rows that most wait for.")
    private boolean showKeys;

    @Option(
            names = "--json",
            paramLabel = "<file>",
            description = "Writes all figures there too. With - they are all that is printed.")
    private @Nullable Path json;

    @Option(names = "--force", description = "Overwrites the file of --json if there is one.")
    private boolean force;

    @Override
    public Integer call() {
        ServerAddress address = server.required();
        if (json != null && !isStandardOutput(json)) {
            checkWritable(json);
        }
        PrintWriter progress = command.commandLine().getErr();
        progress.println("Looking at " + address.shown() + " for " + seconds + " s. Nothing is changed there.");
        progress.flush();
        Diagnosis diagnosis = Doctor.examine(address, Duration.ofSeconds(seconds), showKeys);
        PrintWriter out = command.commandLine().getOut();
        if (json != null && isStandardOutput(json)) {
            out.println(diagnosis.json());
        } else {
            out.print(diagnosis.text(command.usageMessage().autoWidth(true).width(), details));
        }
        out.flush();
        if (json != null && !isStandardOutput(json)) {
            write(json, diagnosis.json());
        }
        return ExitCode.OK;
    }

    private static boolean isStandardOutput(Path file) {
        return file.toString().equals("-");
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
        if (Files.exists(file) && !force) {
            throw new ParameterException(
                    command.commandLine(),
                    "--json: " + file + " is there already. Give another file, or --force to overwrite it.");
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
