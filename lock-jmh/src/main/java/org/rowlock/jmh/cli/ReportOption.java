package org.rowlock.jmh.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.report.Report;
import org.rowlock.jmh.report.Summary;
import org.rowlock.jmh.run.Comparison;
import org.rowlock.jmh.run.Results;
import org.rowlock.tool.UserError;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command-line option for the directory of the report. Commands include it as a mixin. */
final class ReportOption {
    @Option(
            names = "--report",
            paramLabel = "<directory>",
            description = "The directory for the report. Default: rowlock-report-<date>-<time>, in the working"
                    + " directory.")
    private @Nullable Path report;

    /** Returns the directory. A directory with a report is rejected before anything runs. */
    Path directory(CommandSpec command) {
        String time = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(LocalDateTime.now(ZoneId.systemDefault()));
        Path directory = (report == null ? Path.of("rowlock-report-" + time) : report).toAbsolutePath();
        String refusal = Files.exists(directory) && !Files.isDirectory(directory)
                ? directory + " is a file, and the report needs a directory. Give another name."
                : Files.exists(directory.resolve(Report.PAGE))
                        ? "a report exists in " + directory + " already. Give another directory, or remove that"
                                + " report."
                        : "";
        if (!refusal.isEmpty()) {
            throw new ParameterException(command.commandLine(), "--report: " + refusal);
        }
        return directory;
    }

    /**
     * Runs the scenarios, and writes the report. The directory is tried out first, so that an unwritable directory
     * fails before the run.
     */
    static int run(Comparison run, Path directory, PrintWriter out, PrintWriter err) throws IOException {
        boolean isMade = Files.notExists(directory);
        // The signal handler is registered before the run, because a signal may arrive while the server starts.
        try (Interruption interruption = new Interruption(run::stop, run::left, err)) {
            tryOut(directory);
            Results results = run.run();
            boolean isEmpty = results.scenarios().isEmpty();
            if (!isEmpty) {
                out.println(Summary.of(results));
                out.println("Report: " + write(results, directory));
            }
            results.failures().forEach(failure -> err.println("Failed: " + failure));
            if (isEmpty) {
                err.println("There is no report, because no valid measurement was finished.");
                if (isMade) {
                    Files.delete(directory);
                }
            }
            boolean isGood = results.failures().isEmpty() && !isEmpty;
            return interruption.isInterrupted() ? Interruption.STATUS : isGood ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }

    private static void tryOut(Path directory) {
        try {
            Files.delete(Files.createTempFile(Files.createDirectories(directory), "rowlock", ".tmp"));
        } catch (IOException e) {
            throw unwritable(directory, e);
        }
    }

    private static Path write(Results results, Path directory) {
        try {
            return Report.write(results, directory);
        } catch (IOException e) {
            throw unwritable(directory, e);
        }
    }

    private static UserError unwritable(Path directory, IOException e) {
        return new UserError(
                "The report cannot be written to " + directory + " (" + e + "). Make room there, or give another"
                        + " directory with --report.",
                e);
    }
}
