package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.Progress;
import org.rowlock.jmh.run.Selection;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;

/** A line for each measurement that has ended; on a terminal one that is written over and over. */
final class ConsoleProgress implements Progress {
    private static final int WIDTH = 79;
    private static final String START_OF_LINE = "\r";
    private static final String CLEAR_TO_END = "\u001b[K";

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean isTerminal;
    private String left = "";

    ConsoleProgress(PrintWriter out, PrintWriter err, boolean isTerminal) {
        this.out = out;
        this.err = err;
        this.isTerminal = isTerminal;
    }

    @Override
    public void scenario(Selection selection, int number, int of) {
        clear();
        Scenario scenario = selection.scenario();
        out.println("[" + number + "/" + of + "] " + scenario.name() + ": " + scenario.title());
    }

    @Override
    public void begins(Selection selection, Point point, String variant, int round) {
        if (isTerminal) {
            rewrite("  " + place(selection, point, variant, round) + " ..." + left);
        }
    }

    @Override
    public void ended(Selection selection, Cell cell, int round, double done, Duration remaining) {
        left = String.format(Locale.ROOT, "  %2.0f %%, %s left", done * 100, Durations.text(remaining));
        Metric headline = selection.scenario().headline();
        String score = cell.mean(headline.key())
                .map(value -> Figures.text(value) + (headline.unit().isEmpty() ? "" : " " + headline.unit()))
                .orElse("-");
        String line = String.format("  %s  %14s%s", place(selection, cell.point(), cell.variant(), round), score, left);
        if (isTerminal) {
            rewrite(line);
        } else {
            out.println(line);
        }
    }

    @Override
    public void failed(Scenario scenario, String variant, String message) {
        clear();
        err.println("FAILED " + scenario.name() + (variant.isEmpty() ? "" : ", " + variant) + ": " + message);
    }

    /** Ends the line that is written over. */
    void clear() {
        if (isTerminal) {
            out.print(START_OF_LINE + CLEAR_TO_END);
            out.flush();
        }
    }

    private static String place(Selection selection, Point point, String variant, int round) {
        int widest =
                selection.variants().stream().mapToInt(String::length).max().orElse(1);
        int label = selection.points().stream()
                .mapToInt(each -> each.label().length())
                .max()
                .orElse(1);
        return String.format(
                "%d/%d  %-" + label + "s  %-" + widest + "s",
                round,
                selection.rhythm().rounds(),
                point.label(),
                variant);
    }

    private void rewrite(String line) {
        out.print(START_OF_LINE + line.substring(0, Math.min(line.length(), WIDTH)) + CLEAR_TO_END);
        out.flush();
    }
}
