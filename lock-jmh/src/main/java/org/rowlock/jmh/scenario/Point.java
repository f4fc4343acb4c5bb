package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;

/**
 * One place on a scenario's axis: how its benchmark is run there.
 *
 * @param label as it is shown, such as {@code 90}
 * @param threads of the benchmark; for a benchmark with groups those of all groups together
 * @param groups the threads of each method of a group, as JMH's {@code -tg} takes them; empty without groups
 * @param params of the benchmark, beside the variant
 */
public record Point(String label, int threads, List<Integer> groups, Map<String, String> params) {
    public static Point threads(int threads) {
        return new Point(Integer.toString(threads), threads, List.of(), Map.of());
    }

    public static Point of(String label, int threads, Map<String, String> params) {
        return new Point(label, threads, List.of(), params);
    }
}
