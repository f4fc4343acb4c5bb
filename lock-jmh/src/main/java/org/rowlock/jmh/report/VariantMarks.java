package org.rowlock.jmh.report;

import java.util.LinkedHashMap;
import java.util.Map;
import org.rowlock.jmh.run.RunResults;

/** The marks of all variants of a page. Known methods have a colour of their own, and others one of those left, in turn. */
final class VariantMarks {
    private static final Map<String, String> KNOWN = Map.of(
            "ROW", "row",
            "BOTH", "both",
            "ADVISORY", "advisory",
            "NAIVE", "naive",
            "OPTIMISTIC", "optimistic",
            // The row lock by hand, in whichever form; no scenario has both.
            "FOR_UPDATE", "by-hand",
            "SKIP_LOCKED", "by-hand");
    private static final int OTHERS = 6;

    private final Map<String, String> colors = new LinkedHashMap<>();

    VariantMarks(RunResults results) {
        results.results().forEach(result -> result.variants().forEach(this::of));
    }

    VariantMark of(String variant) {
        VariantName name = VariantName.of(variant);
        String color = KNOWN.get(name.method());
        if (color == null) {
            color = colors.computeIfAbsent(name.method(), other -> "other-" + (1 + colors.size() % OTHERS));
        }
        return new VariantMark(variant, color, name.pipelined(), name.admission());
    }
}
