package org.rowlock.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.report.OverallVerdict.Answer;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Metric;

/** The words follow from the numbers. */
class VerdictTest {
    private static final Metric WAIT = new Metric(Metric.SCORE, "writer's wait", "ms", Metric.Better.LOWER);
    private static final double[] BASE = {100, 101, 99};
    private static final double[] TWICE = {200, 210, 190};
    private static final double[] LESS = {80, 82, 81};
    private static final double[] NOISE = {104, 96, 102};

    @Test
    void saysWhatIsGainedWithItsSpread() {
        ScenarioResult result = MadeUp.scenario("clients")
                .cell("90", "ROW", BASE)
                .cell("90", "ADVISORY", TWICE)
                .result();
        assertThat(ScenarioVerdict.of(result).kind()).isEqualTo(ScenarioVerdict.Kind.GAIN);
        assertThat(ScenarioVerdict.of(result).text())
                .contains("Most is gained by ADVISORY: throughput 2.00x (1.92x to 2.08x)", "Nothing loses.");
        OverallVerdict overall = OverallVerdict.of(MadeUp.run(result));
        assertThat(overall.answer()).isEqualTo(Answer.YES);
        assertThat(overall.text()).contains("Move: hot rows", "(clients)", "no strategy alone loses anything");
    }

    @Test
    void saysWhatIsLost() {
        ScenarioResult result = MadeUp.scenario("many-keys")
                .cell("100", "ROW", BASE)
                .cell("100", "ADVISORY", LESS)
                .result();
        assertThat(ScenarioVerdict.of(result).kind()).isEqualTo(ScenarioVerdict.Kind.LOSS);
        assertThat(ScenarioVerdict.of(result).text())
                .contains("Most is lost by ADVISORY: throughput 0.81x", "Nothing gains.");
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isEqualTo(Answer.NO);
    }

    @Test
    void saysWhereItGainsAndWhereItLoses() {
        ScenarioResult result = MadeUp.scenario("clients")
                .cell("1", "ROW", BASE)
                .cell("1", "ADVISORY", LESS)
                .cell("10", "ROW", BASE)
                .cell("10", "ADVISORY", NOISE)
                .cell("90", "ROW", BASE)
                .cell("90", "ADVISORY", TWICE)
                .result();
        assertThat(ScenarioVerdict.of(result).kind()).isEqualTo(ScenarioVerdict.Kind.MIXED);
        OverallVerdict overall = OverallVerdict.of(MadeUp.run(result));
        assertThat(overall.answer()).isEqualTo(Answer.PARTLY);
        assertThat(overall.advices()).singleElement().satisfies(advice -> {
            assertThat(advice.kind()).isEqualTo(Advice.Kind.DEPENDS);
            assertThat(advice.reasons().get(0).text())
                    .contains(
                            "at 90 clients",
                            "loses: throughput 0.81x",
                            "at 1 client",
                            "no clear difference at 10 clients");
        });
        assertThat(overall.text()).contains("Most gained: throughput 2.00x", "Most lost: throughput 0.81x");
    }

    @Test
    void callsNoiseNoClearDifference() {
        ScenarioResult result = MadeUp.scenario("clients")
                .cell("90", "ROW", BASE)
                .cell("90", "ADVISORY", NOISE)
                .result();
        assertThat(result.ratio(Metric.SCORE, MadeUp.point("90"), "ADVISORY"))
                .hasValueSatisfying(ratio -> assertThat(ratio.isClear()).isFalse());
        assertThat(ScenarioVerdict.of(result).text()).startsWith("No clear difference");
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isEqualTo(Answer.SAME);
    }

    @Test
    void callsNothingThatIsOnOneSideByChance() {
        ScenarioResult result = MadeUp.scenario("clients")
                .cell("90", "ROW", BASE)
                .cell("90", "ADVISORY", 110, 160, 400)
                .result();
        assertThat(result.ratio(Metric.SCORE, MadeUp.point("90"), "ADVISORY"))
                .hasValueSatisfying(ratio -> assertThat(ratio.isClear()).isTrue());
        assertThat(ScenarioVerdict.of(result).kind()).isEqualTo(ScenarioVerdict.Kind.SAME);
        assertThat(ScenarioVerdict.of(result).text()).contains("In 1 of these all rounds are on one side");
        assertThat(OverallVerdict.of(MadeUp.run(result)).text()).contains("too far apart to exclude chance");
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isEqualTo(Answer.UNSETTLED);
    }

    @Test
    void settlesNothingWhereTheOneHasNoDifferenceAndTheOtherNoResult() {
        ScenarioResult same = MadeUp.scenario("clients")
                .cell("90", "ROW", BASE)
                .cell("90", "ADVISORY", NOISE)
                .result();
        ScenarioResult unknown = MadeUp.scenario("share")
                .cell("4", "ROW", BASE)
                .variant("ADVISORY")
                .result();
        assertThat(OverallVerdict.of(MadeUp.run(same, unknown)).answer()).isEqualTo(Answer.UNSETTLED);
    }

    @Test
    void settlesNothingWhereTheMachineHidesEverything() {
        ScenarioResult result = MadeUp.scenario("clients")
                .cell("90", "ROW", 100, 300, 100)
                .cell("90", "ADVISORY", 300, 100, 200)
                .result();
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isEqualTo(Answer.UNSETTLED);
    }

    @Test
    void saysThatTheMachineWasNotQuiet() {
        ScenarioResult result = MadeUp.scenario("clients")
                .cell("90", "ROW", 100, 250, 100)
                .cell("90", "ADVISORY", 200, 500, 200)
                .result();
        assertThat(OverallVerdict.of(MadeUp.run(result)).text())
                .contains(
                        "the machine was not quiet: between rounds ROW differed from itself by up to 2.50x (clients)");
    }

    @Test
    void callsLessAGainWhereLessIsBetter() {
        ScenarioResult result = MadeUp.scenario("share-fairness", WAIT)
                .cell("8", "ROW", 52, 50, 54)
                .cell("8", "ADVISORY", 21, 20, 22)
                .result();
        assertThat(ScenarioVerdict.of(result).kind()).isEqualTo(ScenarioVerdict.Kind.GAIN);
        assertThat(ScenarioVerdict.of(result).text()).contains("writer's wait 0.40x");
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isEqualTo(Answer.YES);
    }

    @Test
    void callsMoreALossWhereLessIsBetter() {
        ScenarioResult result = MadeUp.scenario("share-fairness", WAIT)
                .cell("8", "ROW", 21, 20, 22)
                .cell("8", "ADVISORY", 52, 50, 54)
                .result();
        assertThat(ScenarioVerdict.of(result).kind()).isEqualTo(ScenarioVerdict.Kind.LOSS);
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isEqualTo(Answer.NO);
    }

    @Test
    void tellsWhatBeganFromNothing() {
        Metric lost = new Metric(Metric.SCORE, "lost updates", "", Metric.Better.LOWER);
        ScenarioResult result = MadeUp.scenario("lock-loss", lost)
                .cell("crash", "ROW", 0, 0, 0)
                .cell("crash", "BOTH", 0, 0, 0)
                .cell("crash", "ADVISORY", 2, 3, 1)
                .result();
        assertThat(ScenarioVerdict.of(result).text())
                .contains("Most is lost by ADVISORY: lost updates 2 instead of 0", "1 shows no clear difference");
    }

    @Test
    void doesNotDecideByWhatIsClearButSmall() {
        ScenarioResult result = MadeUp.scenario("clients")
                .cell("90", "ROW", BASE)
                .cell("90", "ADVISORY", 102, 103, 101)
                .result();
        assertThat(ScenarioVerdict.of(result).kind()).isEqualTo(ScenarioVerdict.Kind.GAIN);
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isEqualTo(Answer.SAME);
    }

    @Test
    void putsAdmissionFirstWhereItDoesAllThatAStrategyDoes() {
        ScenarioResult result = MadeUp.scenario("zipfian")
                .cell("90", "ROW", BASE)
                .cell("90", "ADVISORY", TWICE)
                .cell("90", "ROW+admission", 250, 260, 240)
                .cell("90", "ADVISORY+admission", 255, 250, 245)
                .result();
        assertThat(Levers.of(result))
                .hasValueSatisfying(levers -> assertThat(levers.words())
                        .contains(
                                "strategy alone (ADVISORY) 2.00x, admission alone 2.50x, both 2.50x",
                                "Admission alone does more than the strategy alone",
                                "With admission on, ADVISORY against ROW is no clear difference"));
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isEqualTo(Answer.ADMISSION);
    }

    @Test
    void takesNoChanceForProofThatAdmissionDoesAll() {
        ScenarioResult result = MadeUp.scenario("zipfian")
                .cell("90", "ROW", BASE)
                .cell("90", "ADVISORY", TWICE)
                .cell("90", "ROW+admission", 150, 152, 151)
                .cell("90", "ADVISORY+admission", 155, 230, 600)
                .result();
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isNotEqualTo(Answer.ADMISSION);
    }

    @Test
    void movesWhereTheStrategyStillAddsToAdmission() {
        ScenarioResult result = MadeUp.scenario("instances")
                .cell("20", "ROW", BASE)
                .cell("20", "ADVISORY", TWICE)
                .cell("20", "ROW+admission", 150, 152, 151)
                .cell("20", "ADVISORY+admission", 250, 260, 240)
                .result();
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isEqualTo(Answer.YES);
        assertThat(OverallVerdict.of(MadeUp.run(result)).text())
                .contains("of 1 place with each lever alone, the strategy did more at 1");
    }

    @Test
    void doesNotJudgeWithoutTheBaseline() {
        ScenarioResult result = MadeUp.scenario("zipfian")
                .variant("ROW")
                .cell("90", "ADVISORY", TWICE)
                .result();
        assertThat(ScenarioVerdict.of(result).kind()).isEqualTo(ScenarioVerdict.Kind.UNKNOWN);
        assertThat(ScenarioVerdict.of(result).text()).contains("there is no result of ROW");
        assertThat(OverallVerdict.of(MadeUp.run(result)).answer()).isEqualTo(Answer.UNSETTLED);
        assertThat(OverallVerdict.of(MadeUp.run()).answer()).isEqualTo(Answer.UNSETTLED);
    }

    @Test
    void namesVariantsWithoutAResult() {
        ScenarioResult result = MadeUp.scenario("zipfian")
                .cell("1", "ROW", BASE)
                .cell("1", "ADVISORY", TWICE)
                .cell("90", "ROW", BASE)
                .variant("BOTH")
                .result();
        assertThat(ScenarioVerdict.of(result).text()).contains("Without a result everywhere: ADVISORY and BOTH.");
    }

    @Test
    void saysThatOneRoundHasNoSpread() {
        ScenarioResult result = MadeUp.scenario("zipfian")
                .cell("90", "ROW", 100)
                .cell("90", "ADVISORY", 200)
                .result();
        assertThat(ScenarioVerdict.of(result).kind()).isEqualTo(ScenarioVerdict.Kind.ONE_ROUND);
        assertThat(ScenarioVerdict.of(result).text())
                .contains("throughput 2.00x (one round)", "no spread to tell a difference from noise");
        OverallVerdict overall = OverallVerdict.of(MadeUp.run(result));
        assertThat(overall.answer()).isEqualTo(Answer.UNSETTLED);
        assertThat(overall.text()).contains("all 1 comparisons are of one round only");
    }

    @Test
    void settlesNothingOnALockThatDidNotHold() {
        ScenarioResult result = MadeUp.scenario("zipfian")
                .cell("90", "ROW", BASE)
                .cell("90", "BOTH", TWICE)
                .result();
        RunResults results =
                MadeUp.run(List.of(result), Map.of("zipfian, ADVISORY", "Invariant violated: Two were inside"));
        assertThat(OverallVerdict.of(results).answer()).isEqualTo(Answer.VIOLATED);
    }

    @Test
    void leavesOutWhatFailedOtherwiseAndSaysSo() {
        ScenarioResult result = MadeUp.scenario("zipfian")
                .cell("90", "ROW", BASE)
                .cell("90", "BOTH", TWICE)
                .result();
        RunResults results = MadeUp.run(List.of(result), Map.of("queue", "Connection refused"));
        assertThat(OverallVerdict.of(results).answer()).isEqualTo(Answer.YES);
        assertThat(OverallVerdict.of(results).text()).contains("1 failure is left out: queue.");
    }

    @Test
    void asksOnlyScenariosThatCompareWithTheRowLock() {
        ScenarioResult keys = MadeUp.scenario("keys")
                .baseline("pair")
                .cell("int", "pair", BASE)
                .cell("int", "md5", LESS)
                .result();
        assertThat(Advice.of(keys)).isEmpty();
        assertThat(ScenarioVerdict.of(keys).text()).contains("Most is lost by md5: throughput 0.81x", "against pair");
    }
}
