package org.rowlock.jmh.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Diagnosis;
import org.rowlock.jmh.report.Report;
import org.rowlock.jmh.report.ServerLook;
import org.rowlock.jmh.report.TerminalSummary;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;

/** What came out, and how it is told. */
final class Outcome {
    private final RunResults results;

    /**
     * An outcome.
     *
     * @param found by the run
     * @param choices whose remarks a reader of the report must know
     * @param isPartial whether the run was stopped before its end
     */
    Outcome(RunResults found, Choices choices, boolean isPartial) {
        Map<String, String> failures = new LinkedHashMap<>(found.failures());
        if (isPartial) {
            failures.put("the run", "Stopped before its end; what follows is what was finished until then.");
        }
        this.results = new RunResults(
                found.results().stream()
                        .map(result -> remarked(result, choices))
                        .toList(),
                failures,
                found.command(),
                found.started(),
                found.took(),
                found.server(),
                found.settings(),
                found.machine());
    }

    private static ServerLook shown(Diagnosis look) {
        return new ServerLook(
                look.verdict(),
                look.advice().stream()
                        .map(each -> new ServerLook.Step(each.subject(), each.action(), each.figure() + ". " + each.reason()))
                        .toList(),
                look.text());
    }

    private static ScenarioResult remarked(ScenarioResult result, Choices choices) {
        List<String> remarks = new ArrayList<>(result.remarks());
        choices.chosen().stream()
                .filter(choice -> choice.selection().scenario().equals(result.scenario()))
                .forEach(choice -> remarks.addAll(choice.remarks()));
        return new ScenarioResult(
                result.scenario(), result.points(), result.variants(), result.cells(), List.copyOf(remarks));
    }

    /** Whether everything that was to run has run, and kept its promises. */
    boolean isGood() {
        return results.failures().isEmpty() && !results.results().isEmpty();
    }

    /** @param look at the server before the run, if it was one of the user's and let itself be looked at */
    void write(@Nullable Diagnosis look, Path directory, PrintWriter out, PrintWriter err) throws IOException {
        out.println();
        if (results.results().isEmpty()) {
            err.println("There is nothing to report: no measurement was finished.");
        } else {
            out.println(TerminalSummary.of(results));
            Report.Written written = Report.write(results, look == null ? null : shown(look), directory);
            out.println("Report: " + written.html());
        }
        results.failures().forEach((name, message) -> err.println("Failed: " + name + ": " + message));
        out.flush();
    }
}
