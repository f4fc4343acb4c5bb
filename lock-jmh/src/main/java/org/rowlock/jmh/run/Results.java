package org.rowlock.jmh.run;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.scenario.Metric;

/**
 * All results of a comparison. This one model is written as JSON, and both page and terminal show it.
 *
 * @param answer what to change, what it gains, and how certain that is; complete sentences
 * @param program the version of the program
 * @param started the start of the run, in ISO 8601
 * @param seconds how long the run took
 * @param command the command that repeats it, without the password
 * @param machine the machine of the clients, and of an embedded server; label and value
 * @param server the server; label and value
 * @param settings the server's relevant settings, by name
 * @param scenarios the scenarios in the order in which they ran
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
     * @param baseline the variant that ratios are relative to
     * @param metrics the metrics; the first is the compared one
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
     * @param roundTripMillis the measured round trip, on average
     * @param again the ratio of the baseline to itself; null with fewer than two rounds that have both of its turns
     * @param smallestFound the smallest ratio that such a run finds in four of five cases; null if {@code again} is
     *     null
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
     * @param kind the purpose of the variant
     * @param rounds the compared metric's value in each round
     * @param figures the mean of each metric, and of all else that was measured, by key
     * @param waits the average number of sessions in each wait event
     * @param ratio the ratio to the baseline, above 1 if the variant is better; null for the baseline itself, or with
     *     fewer than two rounds that have both
     * @param call the verdict; null if there is none
     * @param limit the resource that was at its limit
     * @param course the compared metric window by window, of the first round; empty if there is only one window
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

    /** The purpose of a variant. */
    public enum Kind {
        BASELINE,
        VARIANT,
        /** The variant does less than the others. It shows a limit, and is no gain. */
        CONTROL
    }
}
