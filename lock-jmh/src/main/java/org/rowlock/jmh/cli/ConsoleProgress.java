package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.time.Duration;
import org.rowlock.jmh.run.Progress;
import org.rowlock.jmh.scenario.Scenario;

/** A line for each measurement that has ended. */
record ConsoleProgress(PrintWriter out, PrintWriter err) implements Progress {
    @Override
    public void scenario(Scenario scenario, int number, int of) {
        out.println("[" + number + "/" + of + "] " + scenario.name() + ": " + scenario.title());
    }

    @Override
    public void ended(String what, String figure, Duration left) {
        out.printf("  %-46s %12s  %s left%n", what, figure, Plan.text(left));
    }

    @Override
    public void failed(String what, String message) {
        err.println("FAILED " + what + ": " + message);
    }
}
