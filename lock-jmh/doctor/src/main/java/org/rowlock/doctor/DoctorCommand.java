package org.rowlock.doctor;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rowlock.tool.PositiveNumber;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ToolCommand;
import org.rowlock.tool.UserError;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command line of the doctor, and the main class of its jar. */
@Command(
        name = "doctor",
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Examines a running server, and reports whether row locks hurt it and what to do first: table by table,"
                    + " with the statement and the figure behind each advice. It changes nothing there: it reads"
                    + " system views, in read-only transactions.",
            "Run it while the server is busy, because it judges only the sampled time. Any role can run it. A role"
                    + " with pg_read_all_stats (or pg_monitor) and the extension pg_stat_statements show most; the"
                    + " report names the missing figures.",
            ""
        },
        footer = {
            "",
            "Example:",
            "  doctor --url jdbc:postgresql://db:5432/app --user app --password --seconds 60",
            "",
            "Exit status: 0 if the server was examined, whatever the verdict; 1 if not; 2 for wrong usage."
        })
public final class DoctorCommand extends ToolCommand {
    @Option(
            names = "--seconds",
            paramLabel = "<number>",
            defaultValue = "20",
            converter = PositiveNumber.class,
            description = "How many seconds to sample. Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(names = "--details", description = "More than one screen: reasons, causes, statements, wait events.")
    private boolean details;

    @Option(names = "--json", description = "Prints all figures, for programs.")
    private boolean json;

    @Option(
            names = "--html",
            paramLabel = "<file>",
            description = "Also writes an HTML page without scripts, for decision makers: the figures now and after the"
                    + " first change, the cost of the change, and how to undo it.")
    private @Nullable Path html;

    @Option(
            names = "--compare",
            paramLabel = "<file>",
            description = "Shows the figures beside the figures of an earlier --json, for example after a change.")
    private @Nullable Path compare;

    @Option(
            names = "--watch",
            description = "Shows every two seconds which session waits for which, until Ctrl-C or until --seconds"
                    + " have passed. With --json, each line is a JSON object.")
    private boolean watch;

    @Override
    public Integer call() {
        refuse(
                watch && (details || html != null || compare != null),
                "--watch shows waits only, and cannot be combined with --details, --html or --compare. Leave out"
                        + " --watch, or these options.");
        refuse(
                json && compare != null && html == null,
                "--json prints only the new figures, so --compare would have no effect. Leave out --compare or"
                        + " --json, or give --html too.");
        Before before = compare == null ? null : Before.read(compare);
        ServerAddress address = server.address();
        if (address == null) {
            throw new ParameterException(
                    command.commandLine(),
                    "No server was given. Give its address: --url jdbc:postgresql://host:port/database.");
        }
        PrintWriter out = out();
        int width = command.usageMessage().autoWidth(true).width();
        if (watch) {
            boolean isBounded = command.commandLine().getParseResult().hasMatchedOption("--seconds");
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            Watch.run(address, out, width, json, () -> !isBounded || System.nanoTime() < end);
            return ExitCode.OK;
        }
        PrintWriter progress = err();
        progress.println("Sampling " + address + " for " + seconds + " s. Nothing is changed there.");
        progress.flush();
        Diagnosis diagnosis = Doctor.examine(address, Duration.ofSeconds(seconds));
        out.print(json ? diagnosis.json() + System.lineSeparator() : diagnosis.text(width, details));
        if (before != null && !json) {
            out.print(before.text(diagnosis));
        }
        out.flush();
        if (html != null) {
            write(html, diagnosis.html(before));
            progress.println("Page: " + html);
        }
        return ExitCode.OK;
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UserError(
                    "The page cannot be written to " + file + ": " + e + ". Give another file with" + " --html.", e);
        }
    }

    /** Runs the doctor with the options of a command line. */
    public static void main(String[] args) {
        CommandLine line = commandLine(new DoctorCommand());
        System.exit(line.setCommandName("java -jar doctor.jar").execute(args));
    }
}
