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
 * @param connections that it takes at a time; as many as threads, unless they share fewer
 * @param locksPerThread how many rows a thread locks at a time; as advisory locks each is a place in the lock table
 */
public record Point(
        String label,
        int threads,
        List<Integer> groups,
        Map<String, String> params,
        int connections,
        int locksPerThread) {
    /** One whose threads have a connection each, and lock a row at a time. */
    public Point(String label, int threads, List<Integer> groups, Map<String, String> params) {
        this(label, threads, groups, params, threads, 1);
    }

    public static Point threads(int threads) {
        return new Point(Integer.toString(threads), threads, List.of(), Map.of());
    }

    public static Point of(String label, int threads, Map<String, String> params) {
        return new Point(label, threads, List.of(), params);
    }

    /** The same where the threads share so many connections. */
    public Point sharing(int connections) {
        return new Point(label, threads, groups, params, connections, locksPerThread);
    }

    /** The same where each thread locks so many rows at a time. */
    public Point locking(int rows) {
        return new Point(label, threads, groups, params, connections, rows);
    }

    /** How many places in the server's lock table it takes. */
    public long locks() {
        return (long) threads * locksPerThread;
    }
}
