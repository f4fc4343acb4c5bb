package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.time.Duration;
import org.rowlock.jmh.run.Progress;
import org.rowlock.jmh.scenario.Scenario;

/** A line for each measurement that has ended; on a terminal one that is written over and over. */
final class ConsoleProgress implements Progress {
    private static final int WIDTH = 79;
    private static final String START_OF_LINE = "\r";
    private static final String CLEAR_TO_END = "\u001b[K";

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean isTerminal;

    ConsoleProgress(PrintWriter out, PrintWriter err, boolean isTerminal) {
        this.out = out;
        this.err = err;
        this.isTerminal = isTerminal;
    }

    @Override
    public void scenario(Scenario scenario, int number, int of) {
        clear();
        out.println("[" + number + "/" + of + "] " + scenario.name() + ": " + scenario.title());
    }

    @Override
    public void begins(String what) {
        if (isTerminal) {
            rewrite("  " + what + " ...");
        }
    }

    @Override
    public void ended(String what, String figure, Duration remaining) {
        String line = String.format("  %-46s %12s  %s left", what, figure, Plan.text(remaining));
        if (isTerminal) {
            rewrite(line.substring(0, Math.min(line.length(), WIDTH)));
        } else {
            out.println(line);
        }
    }

    @Override
    public void failed(String what, String message) {
        clear();
        err.println("FAILED " + what + ": " + message);
    }

    /** Ends the line that is written over. */
    void clear() {
        if (isTerminal) {
            rewrite("");
        }
    }

    private void rewrite(String line) {
        out.print(START_OF_LINE + line + CLEAR_TO_END);
        out.flush();
    }
}
