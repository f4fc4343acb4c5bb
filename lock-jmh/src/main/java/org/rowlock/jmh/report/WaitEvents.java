package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.RunResults;

/** The sampled wait events of a page, each with a colour: its type's hue, and the more it was seen, the stronger. */
final class WaitEvents {
    /** What is left over in a chart. */
    static final String REST = "all others";

    private static final Map<String, Integer> SHADES =
            Map.of("lock", 2, "lwlock", 4, "io", 3, "ipc", 2, "timeout", 2, "client", 2, "cpu", 1);

    private static final List<String> STACK =
            List.of("lock", "lwlock", "io", "ipc", "timeout", "others", "client", "cpu");
    private static final int OTHERS = STACK.indexOf("others");

    /** The three that this is all about have a colour of their own. */
    private static final Map<String, String> FIXED = Map.of(
            "Lock:tuple", "wait-tuple", "Lock:transactionid", "wait-transactionid", "Lock:advisory", "wait-advisory");

    private final Map<String, String> colors = new HashMap<>();

    WaitEvents(RunResults results) {
        Map<String, Double> all = new TreeMap<>();
        results.results()
                .forEach(result -> sum(result.cells()).forEach((event, sum) -> all.merge(event, sum, Double::sum)));
        Map<String, Integer> seen = new HashMap<>();
        for (String event : byWeight(all)) {
            if (FIXED.containsKey(event)) {
                continue;
            }
            String type = type(event);
            int shades = SHADES.getOrDefault(type, 0);
            int shade = Math.min(shades, seen.merge(type, 1, Integer::sum));
            colors.put(event, shades == 0 ? "wait-rest" : "wait-" + type + "-" + shade);
        }
    }

    String color(String event) {
        return FIXED.getOrDefault(event, colors.getOrDefault(event, "wait-rest"));
    }

    /** Added up over cells. */
    static Map<String, Double> sum(List<Cell> cells) {
        Map<String, Double> sums = new TreeMap<>();
        cells.forEach(cell -> cell.waits().forEach((event, sessions) -> sums.merge(event, sessions, Double::sum)));
        return sums;
    }

    /** The heaviest first. */
    static List<String> byWeight(Map<String, Double> events) {
        List<String> names = new ArrayList<>(events.keySet());
        names.sort(Comparator.comparingDouble((String name) -> -events.getOrDefault(name, 0.0))
                .thenComparing(Comparator.naturalOrder()));
        return names;
    }

    /** As they stand in a stack: locks first, where they can be compared, and what is no wait last. */
    static List<String> stacked(List<String> events) {
        List<String> stacked = new ArrayList<>(events);
        stacked.sort(
                Comparator.comparingInt(event -> STACK.indexOf(type(event)) < 0 ? OTHERS : STACK.indexOf(type(event))));
        return stacked;
    }

    private static String type(String event) {
        return event.split(":", 2)[0].toLowerCase(Locale.ROOT);
    }
}
