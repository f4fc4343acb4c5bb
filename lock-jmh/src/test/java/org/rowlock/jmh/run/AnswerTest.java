package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.scenario.Metric;

/** Checks that the first sentence of the answer says what to change. */
class AnswerTest {
    private static VariantResult variant(String label, Call call, double mean) {
        return new VariantResult(
                label,
                Kind.VARIANT,
                List.of(),
                Map.of(),
                Map.of(),
                new Ratio(mean, mean * 0.9, mean * 1.1),
                call,
                "",
                List.of());
    }

    private static ScenarioResult scenario(String name, VariantResult... variants) {
        return scenario(name, new PointResult("90 clients", 0.1, new Ratio(1, 0.9, 1.1), List.of(variants)));
    }

    private static ScenarioResult scenario(String name, PointResult point) {
        return new ScenarioResult(
                name,
                "",
                "",
                "",
                "FOR_UPDATE",
                List.of(new Metric(Metric.SCORE, "transactions", "1/s", Metric.Better.HIGHER)),
                List.of(point));
    }

    @Test
    void whatSurelyGainsMostIsAdvisedWithWhereItLoses() {
        String answer = Answer.of(List.of(
                scenario("zipfian", variant("ROW", Call.BETTER, 1.6), variant("ADVISORY", Call.BETTER, 2.5)),
                scenario("share", variant("ROW", Call.INCONCLUSIVE, 1.0), variant("ADVISORY", Call.BETTER, 1.8)),
                scenario("many-keys", variant("ROW", Call.EQUIVALENT, 1.0), variant("ADVISORY", Call.WORSE, 0.8))));
        assertThat(answer)
                .startsWith("Use ADVISORY: 2.50x (2.25 to 2.75) of FOR_UPDATE (zipfian: 90 clients); in 1 more, 1.80x.")
                .contains("It is worse: 0.80x (0.72 to 0.88) of FOR_UPDATE (many-keys: ")
                .contains("99 %");
    }

    @Test
    void variantsWhoseIntervalsOverlapAreNotRanked() {
        String answer = Answer.of(List.of(scenario(
                "doors",
                variant("execute", Call.BETTER, 2.0),
                variant("drop-in", Call.BETTER, 1.9),
                variant("lock", Call.BETTER, 1.2),
                variant("BOTH", Call.INCONCLUSIVE, 1.9))));
        assertThat(answer)
                .startsWith("Use execute: 2.00x")
                .contains(". As good within the intervals: drop-in. With 99 %");
    }

    @Test
    void theStrategiesOfTheReportAreExplained() {
        List<ScenarioResult> scenarios = List.of(
                scenario("pool", variant("BOTH + admission", Call.BETTER, 2), variant("lock", Call.WORSE, 0.5)));
        assertThat(Answer.words(scenarios))
                .isEqualTo(
                        "BOTH is an advisory lock before the row lock. admission means that threads queue in their JVM"
                                + " before they borrow a connection.");
    }

    @Test
    void whereNothingIsBetterNothingIsAdvised() {
        assertThat(Answer.of(List.of(scenario("zipfian", variant("ROW", Call.WORSE, 0.5)))))
                .startsWith("Nothing was found")
                .contains("ROW is worse: 0.50x");
    }

    @Test
    void whereNothingIsFoundMoreRoundsAreAdvised() {
        assertThat(Answer.of(List.of(scenario("zipfian", variant("ROW", Call.INCONCLUSIVE, 1.1)))))
                .startsWith("Nothing was found")
                .contains("--rounds");
        assertThat(Answer.of(List.of())).startsWith("Nothing can be said");
    }

    @Test
    void moreRoundsAreAdvisedOnlyIfThereIsAVariantToCompare() {
        VariantResult baseline = new VariantResult(
                "FOR_UPDATE", Kind.BASELINE, List.of(), Map.of(), Map.of(), null, null, "", List.of());
        VariantResult row =
                new VariantResult("ROW", Kind.VARIANT, List.of(), Map.of(), Map.of(), null, null, "", List.of());
        assertThat(Answer.of(List.of(scenario("zipfian", baseline))))
                .isEqualTo("Nothing can be said: no variant was compared with the baseline.");
        assertThat(Answer.of(List.of(scenario("zipfian", baseline, row)))).contains("Give more --rounds");
    }
}
