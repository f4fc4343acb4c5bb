package org.rowlock.jmh.report;

import java.io.IOException;
import java.nio.file.Path;

/** Writes the report of {@link SampleRun}, to look at while working on its design. Takes the directory. */
final class ReportPreview {
    private ReportPreview() {}

    public static void main(String[] args) throws IOException {
        System.out.print(TerminalSummary.of(SampleRun.of()));
        System.out.println(
                Report.write(SampleRun.of(), null, Path.of(args[0])).html().toUri());
    }
}
