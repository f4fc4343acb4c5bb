package org.rowlock.examples.demo;

import java.util.Locale;
import java.util.Map;

/** The figures, a line per variant. */
final class ResultTable {
    private ResultTable() {}

    static String of(Map<DemoVariant, DemoMeasurement> measurements) {
        StringBuilder table = new StringBuilder();
        line(table, "", "", "", "against", "wait p50", "wait p99", "WAL", "xids", "MultiX.", "");
        line(table, "strategy", "admission", "tx/s", "ROW", "ms", "ms", "B/tx", "per tx", "per tx", "money");
        DemoMeasurement baseline = measurements.get(DemoVariant.BASELINE);
        double baselinePerSecond = baseline == null ? 0 : baseline.perSecond();
        measurements.forEach((variant, m) -> line(
                table,
                variant.strategy().name(),
                variant.admission() ? "yes" : "no",
                number("%,.0f", m.perSecond()),
                number("%.2fx", m.perSecond() / baselinePerSecond),
                number("%,.2f", m.waitMillisAt(50)),
                number("%,.2f", m.waitMillisAt(99)),
                number("%,.0f", m.walBytesPerTransfer()),
                number("%.3f", m.xidsPerTransfer()),
                number("%.3f", m.multiXactsPerTransfer()),
                m.money().isExact() ? "exact" : "WRONG"));
        return table.toString();
    }

    private static void line(StringBuilder table, Object... cells) {
        table.append(String.format(Locale.ROOT, "%-8s  %-9s  %8s  %7s  %8s  %8s  %6s  %6s  %7s  %s", cells)
                        .stripTrailing())
                .append('\n');
    }

    /** A dash where there is nothing to divide by, as when no transfer was done. */
    private static String number(String format, double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "-";
    }
}
