package org.rowlock.jmh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.jmh.run.Comparison;
import org.rowlock.jmh.run.ComparisonSettings;

class InterruptionTest {
    private final StringWriter err = new StringWriter();

    private void interruptWith(String left) {
        Interruption interruption = new Interruption(() -> {}, () -> left, new PrintWriter(err));
        interruption.close();
        interruption.interrupted();
        assertThat(interruption.isInterrupted()).isTrue();
    }

    @Test
    void whatIsLeftIsNamed() {
        interruptWith("The schema is left. Drop it.");
        assertThat(err.toString()).contains("The schema is left. Drop it.").doesNotContain("Nothing is left");
    }

    @Test
    void nothingIsLeftOnlyIfTheCleanUpSucceeded() {
        interruptWith("");
        assertThat(err.toString()).contains("Nothing is left behind.").doesNotContain("before everything");
    }

    @Test
    void withoutAMeasurementThereIsNoReport(@TempDir Path directory) throws IOException {
        Path report = directory.resolve("report");
        Comparison empty = new Comparison(
                new ComparisonSettings(List.of(), null, 1, "", "", List.of(), null, null), line -> {}, line -> {});
        assertThat(ReportOption.run(empty, report, new PrintWriter(err), new PrintWriter(err)))
                .isEqualTo(1);
        assertThat(err.toString()).contains("There is no report, because no valid measurement was finished.");
        assertThat(report).doesNotExist();
    }
}
