package org.rowlock.jmh.run;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.scenario.Metric;

/**
 * Everything that a comparison has found out: the one model, which is written as JSON, and which page and terminal
 * show.
 *
 * @param answer what to change, what it gains, and how sure that is; complete sentences
 * @param program its version
 * @param started when, as ISO 8601
 * @param seconds how long it took
 * @param command that repeats it, without the password
 * @param machine of the clients, and of the server where it is embedded; label and value
 * @param server what it ran on; label and value
 * @param settings the server's that matter, by name
 * @param scenarios in the order in which they ran
 * @param failures what did not finish or was violated; complete sentences
 * @param remarks what a reader must know; complete sentences
 */
public record Results(
        String answer,
        String program,
        String started,
        long seconds,
        String command,
        Map<String, String> machine,
        Map<String, String> server,
        Map<String, String> settings,
        List<ScenarioResult> scenarios,
        List<String> failures,
        List<String> remarks) {

    /**
     * A scenario.
     *
     * @param baseline what ratios refer to
     * @param metrics the first is what is compared
     */
    public record ScenarioResult(
            String name,
            String title,
            String question,
            String published,
            String baseline,
            List<Metric> metrics,
            List<PointResult> points) {}

    /**
     * A scenario at one point.
     *
     * @param roundTripMillis measured, on average
     * @param again the baseline against itself; null with fewer than two rounds that have both of its turns
     * @param smallestFound the smallest ratio that such a run finds in four of five cases; null if {@code again} is
     */
    public record PointResult(
            String label,
            double roundTripMillis,
            @Nullable Ratio again,
            @Nullable Double smallestFound,
            List<VariantResult> variants) {}

    /**
     * A variant at one point.
     *
     * @param kind what it is
     * @param rounds the compared metric's value in each round
     * @param figures each metric's mean, and all else that was measured, by key
     * @param waits by wait event, how many sessions were in it at a time
     * @param ratio to the baseline, above 1 where it is better; null for the baseline itself, or with fewer than two
     *     rounds that both have
     * @param call null where there is none to make
     * @param limit what was at its limit
     * @param course the compared metric window by window, of the first round; empty where there is only one
     */
    public record VariantResult(
            String label,
            Kind kind,
            List<Double> rounds,
            Map<String, Double> figures,
            Map<String, Double> waits,
            @Nullable Ratio ratio,
            @Nullable Call call,
            String limit,
            List<Double> course) {}

    /** What a variant is for. */
    public enum Kind {
        BASELINE,
        VARIANT,
        /** Does less than the others: a limit, and no gain. */
        CONTROL
    }
}
