package org.rowlock.examples.demo;

import java.io.PrintStream;
import java.util.Locale;

/** A short line per slice: its name when it begins, its figure when it ends. Needs no terminal. */
final class DemoProgress {
    private final PrintStream out;
    private final long start = System.nanoTime();

    DemoProgress(PrintStream out) {
        this.out = out;
    }

    void begins(String phase, DemoVariant variant) {
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        out.printf(Locale.ROOT, "%4d s  %-12s  %-26s", seconds, phase, variant);
        out.flush();
    }

    void ends(Slice slice) {
        out.printf(
                Locale.ROOT,
                "%,8.0f tx/s%s%n",
                slice.perSecond(),
                slice.money().isExact() ? "" : "  MONEY CHECK FAILED");
        out.flush();
    }
}
