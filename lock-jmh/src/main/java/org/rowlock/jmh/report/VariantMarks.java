package org.rowlock.jmh.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.rowlock.jmh.run.RunResults;

/** The marks of all variants of a page. Known methods have a colour of their own, and others one of those left, in turn. */
final class VariantMarks {
    private static final Set<String> KNOWN = Set.of("row", "both", "advisory", "naive", "optimistic");
    private static final int OTHERS = 6;

    private final Map<String, String> colors = new LinkedHashMap<>();

    VariantMarks(RunResults results) {
        results.results().forEach(result -> result.variants().forEach(this::of));
    }

    VariantMark of(String variant) {
        VariantName name = VariantName.of(variant);
        String method = name.method().toLowerCase(Locale.ROOT);
        String color = KNOWN.contains(method)
                ? method
                : colors.computeIfAbsent(method, other -> "other-" + (1 + colors.size() % OTHERS));
        return new VariantMark(variant, color, name.pipelined(), name.admission());
    }
}
