package org.rowlock.jmh.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.report.Report;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The option for the directory of the report. A mixin for commands. */
final class ReportOption {
    @Option(
            names = "--report",
            paramLabel = "<directory>",
            description = "Where the report goes. Default: rowlock-report-<date>-<time>, in the working directory.")
    private @Nullable Path report;

    /** Returns the directory, and rejects one that already has a report, before anything runs. */
    Path directory(CommandSpec command) {
        String time = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(LocalDateTime.now(ZoneId.systemDefault()));
        Path directory = (report == null ? Path.of("rowlock-report-" + time) : report).toAbsolutePath();
        String refusal = Files.exists(directory) && !Files.isDirectory(directory)
                ? directory + " is a file, and the report is a directory of files. Give another name."
                : Files.exists(directory.resolve(Report.PAGE))
                        ? "there is a report in " + directory + " already. Give another directory, or remove it."
                        : "";
        if (!refusal.isEmpty()) {
            throw new ParameterException(command.commandLine(), "--report: " + refusal);
        }
        return directory;
    }
}
