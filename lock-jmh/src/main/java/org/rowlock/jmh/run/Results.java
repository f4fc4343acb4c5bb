package org.rowlock.jmh.run;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.scenario.Metric;

/**
 * All results of a comparison. The JSON file, the page and the terminal show this model.
 *
 * @param answer the summary of {@link Answer}
 * @param rules the rules of the verdicts, {@link Call#RULES}
 * @param words explanations of the names in the variants' labels; empty if no label has such a name
 * @param started the start of the run, in ISO 8601
 * @param command the command that repeats the run, without the password
 * @param machine the clients' machine, on which an embedded server runs too; label and value
 * @param failures what failed or was left unfinished, as complete sentences
 * @param remarks notes for the reader, as complete sentences
 */
public record Results(
        String answer,
        String rules,
        String words,
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
     * @param metrics the metrics; the first metric decides the comparison
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
     * @param again the ratio of the baseline's second measurement in a round to its first; null if fewer than two
     *     rounds have both
     */
    public record PointResult(
            String label, double roundTripMillis, @Nullable Ratio again, List<VariantResult> variants) {}

    /**
     * A variant at one point.
     *
     * @param rounds the compared metric's value in each round
     * @param figures the mean of each measured figure, by key
     * @param waits the average number of sessions in each wait event
     * @param ratio the ratio to the baseline, above 1 if the variant is better; null for the baseline, or if fewer than
     *     two rounds have both variants
     * @param limit the resource that was at its limit
     * @param course the compared metric in each window of the first round; empty if there is only one window
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

    public enum Kind {
        BASELINE,
        VARIANT,
        /** The variant does less than the others, so it shows an upper limit, not a gain. */
        CONTROL
    }
}
