package org.rowlock.jmh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.jmh.bench.InvariantViolation;
import org.rowlock.jmh.run.BenchmarkRun;
import org.rowlock.jmh.run.ComparisonSettings;
import org.rowlock.jmh.run.Rounds;

class InterruptionTest {
    private final StringWriter err = new StringWriter();

    /** A run in which a change is lost, and which is stopped at the same moment. */
    private static final class Losing extends BenchmarkRun {
        Losing(String left) {
            super(new ComparisonSettings(List.of(), null, 1, "", "", List.of(), null, null), line -> {});
            this.left = left;
        }

        @Override
        protected List<Rounds> measure() {
            stop();
            fail("90 clients", new InvariantViolation("a change was lost"));
            return List.of();
        }
    }

    private void interruptWith(String left) {
        Interruption interruption = new Interruption(new Losing(left), new PrintWriter(err));
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
    void aLostChangeIsReportedFirst(@TempDir Path directory) throws IOException {
        Path report = directory.resolve("report");
        assertThat(ReportOption.run(new Losing(""), report, new PrintWriter(err), new PrintWriter(err)))
                .isEqualTo(1);
        assertThat(err.toString().lines())
                .first()
                .asString()
                .isEqualTo("Failed: 90 clients: Invariant violated: a change was lost");
        assertThat(err.toString()).contains("There is no report, because no valid measurement was finished.");
        assertThat(report).doesNotExist();
    }
}
