package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.run.TurnFit.LoggedTurn;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;

/** Checks that a variant gets a verdict if there is a difference, and otherwise gets none. */
class CallTest {
    private static final Scenario ZIPFIAN = Scenarios.named("zipfian").orElseThrow();
    private static final Point POINT = ZIPFIAN.points().get(0);
    private static final int RUNS = 300;
    private static final List<Variant> BY_HAND_AND_ADVISORY = List.of(Variant.of("FOR_UPDATE"), Variant.of("ADVISORY"));

    /** Simulates rounds on a machine whose speed drifts. */
    private static PointResult rounds(int number, long seed, double noise, Map<String, Double> gains) {
        return rounds(number, seed, noise, gains, 0);
    }

    /** Simulates rounds on a machine whose speed drifts, and in which a share of the turns fails. */
    private static PointResult rounds(int number, long seed, double noise, Map<String, Double> gains, double failed) {
        Random failing = new Random(~seed);
        Random random = new Random(seed);
        double[] speed = {1_000};
        return compared(number, ZIPFIAN.variants(), (place, round) -> {
                    speed[0] *= 0.98;
                    double gain = gains.getOrDefault(place.variant().label(), 1.0);
                    double score = speed[0] * gain * Math.exp(noise * random.nextGaussian());
                    return failing.nextDouble() >= failed ? Map.of(Metric.SCORE, score) : Map.of();
                })
                .points()
                .get(0);
    }

    /** Returns the figures of a turn in a round. */
    private interface Measured {
        Map<String, Double> figures(Rounds.Place place, int round);
    }

    private static ScenarioResult compared(int number, List<Variant> variants, Measured measured) {
        return measured(number, variants, measured).compare();
    }

    /** Returns the turns of variants in a number of rounds. A turn without figures has failed. */
    private static Rounds measured(int number, List<Variant> variants, Measured measured) {
        Scenario scenario = ZIPFIAN.with(List.of(POINT), variants);
        Rounds rounds = new Rounds(scenario, scenario.variants().size() - 1);
        for (int round = 1; round <= number; round++) {
            for (Rounds.Place place : Comparison.turns(scenario, POINT, round)) {
                Map<String, Double> figures = measured.figures(place, round);
                if (!figures.isEmpty()) {
                    rounds.add(place, round, new Measurement(figures, List.of(figures.get(Metric.SCORE))));
                }
            }
        }
        return rounds;
    }

    private static List<VariantResult> called(PointResult point) {
        return point.variants().stream()
                .filter(variant -> variant.call() == Call.BETTER || variant.call() == Call.WORSE)
                .toList();
    }

    /**
     * Returns the share of simulated variants that are called better or worse. With a gain of 1, all variants are
     * equally fast.
     */
    private static double called(int number, double noise, double gain) {
        return called(number, noise, gain, 0);
    }

    private static double called(int number, double noise, double gain, double failed) {
        int called = 0;
        int all = 0;
        for (long seed = 0; seed < RUNS; seed++) {
            PointResult point = rounds(number, seed, noise, gain == 1 ? Map.of() : Map.of("ADVISORY", gain), failed);
            for (VariantResult variant : point.variants()) {
                if (variant.kind() == Kind.VARIANT
                        && (gain == 1 || variant.label().equals("ADVISORY"))) {
                    all++;
                    called += variant.call() == Call.BETTER || variant.call() == Call.WORSE ? 1 : 0;
                }
            }
        }
        return (double) called / all;
    }

    @ParameterizedTest
    @CsvSource({"2, 0.1", "4, 0.05", "4, 0.1", "4, 0.3", "20, 0.15"})
    void theSameAgainstItselfIsNotCalled(int number, double noise) {
        assertThat(called(number, noise, 1)).isLessThan(0.001);
    }

    @ParameterizedTest
    @CsvSource({"4, 0.1, 0.3", "4, 0.3, 0.5", "6, 0.1, 0.3", "10, 0.2, 0.5"})
    void norWhereTurnsFailed(int number, double noise, double failed) {
        assertThat(called(number, noise, 1, failed)).isLessThan(0.002);
    }

    /** A drift makes the rounds differ, so that only turns of one round can be compared. */
    @Test
    void nothingIsSaidOfAVariantThatSharesFewerThanTwoRoundsWithTheBaseline() {
        Random random = new Random(1);
        List<LoggedTurn> turns = new ArrayList<>();
        for (int round = 1; round <= 8; round++) {
            for (String variant : List.of("a", "b", round % 2 == 0 ? "even" : "odd")) {
                turns.add(turn(variant, round, Math.pow(10, round) * Math.exp(0.1 * random.nextGaussian())));
            }
        }
        TurnFit fit = TurnFit.of(turns, 1).orElseThrow();
        assertThat(fit.ratio(of("even", turns), of("odd", turns))).isEmpty();
        assertThat(fit.ratio(of("even", turns), of("a", turns))).isPresent();
        assertThat(fit.ratio(of("even", turns).subList(0, 1), of("a", turns))).isEmpty();
    }

    private static List<LoggedTurn> of(String variant, List<LoggedTurn> turns) {
        return turns.stream().filter(turn -> turn.variant().equals(variant)).toList();
    }

    /** All intervals of a page must hold together, for any number of intervals. */
    @Test
    void ofAHundredPagesWithoutADifferenceNoneHasACall() {
        for (long seed = 1_000; seed < 1_100; seed++) {
            assertThat(called(rounds(5, seed, 0.1, Map.of())))
                    .as("page %d", seed)
                    .isEmpty();
        }
    }

    @Test
    void theUsualRoundsFindATrueDifferenceOfAHalf() {
        int rounds = Timing.USUAL.rounds();
        assertThat(called(rounds, 0.1, 1.5)).isGreaterThanOrEqualTo(0.99);
        assertThat(called(rounds, 0.1, 1 / 1.5)).isGreaterThanOrEqualTo(0.99);
    }

    @Test
    void aTurnThatFailedCostsNothingElse() {
        Random random = new Random(1);
        ScenarioResult result = compared(4, BY_HAND_AND_ADVISORY, (place, round) -> {
            if (round == 2 && !place.again()) {
                return Map.of();
            }
            // The results of the rounds differ by a factor of ten, so that only turns of one round can be compared.
            double gain = place.variant().label().equals("ADVISORY") ? 2 : 1;
            return Map.of(Metric.SCORE, Math.pow(10, round) * gain * Math.exp(0.02 * random.nextGaussian()));
        });
        VariantResult advisory = result.points().get(0).variants().get(1);
        assertThat(advisory.rounds()).hasSize(3);
        assertThat(advisory.call()).isEqualTo(Call.BETTER);
        assertThat(advisory.ratio()).isNotNull();
        assertThat(advisory.ratio().mean()).isCloseTo(2, Offset.offset(0.1));
    }

    /** A result of zero has no logarithm. A ratio of the other turns is biased, so it is only shown. */
    @ParameterizedTest
    @CsvSource({"FOR_UPDATE, 2 of 12", "ADVISORY, 1 of 6"})
    void aTurnWithoutAResultIsLeftOutByName(String zero, String turns) {
        Rounds rounds = measured(6, BY_HAND_AND_ADVISORY, (place, round) -> {
            String label = place.variant().label();
            double score = (label.equals("ADVISORY") ? 300 : 100) + round;
            return Map.of(Metric.SCORE, label.equals(zero) && round == 3 ? 0 : score);
        });
        VariantResult advisory = rounds.compare().points().get(0).variants().get(1);
        assertThat(advisory.ratio()).isNotNull();
        assertThat(advisory.ratio().mean()).isCloseTo(2.9, Offset.offset(0.1));
        assertThat(advisory.call()).isEqualTo(Call.INCONCLUSIVE);
        assertThat(rounds.remarks())
                .singleElement()
                .asString()
                .contains("in " + turns + " turns, the result of '" + zero + "' (transactions) is zero or missing");
    }

    @Test
    void aDifferenceLargerThanTheNoiseIsCalled() {
        PointResult point = rounds(4, 1, 0.03, Map.of("ADVISORY", 2.5, "BOTH", 0.5));
        assertThat(called(point)).extracting(VariantResult::label).containsExactlyInAnyOrder("ADVISORY", "BOTH");
        VariantResult advisory = point.variants().stream()
                .filter(variant -> variant.label().equals("ADVISORY"))
                .findFirst()
                .orElseThrow();
        assertThat(advisory.call()).isEqualTo(Call.BETTER);
    }

    @Test
    void aMachineThatDiffersFromItselfNineTimesCallsNothing() {
        assertThat(called(rounds(4, 1, 1.0, Map.of("ADVISORY", 2.5)))).isEmpty();
    }

    @Test
    void whatIsCloseOnACalmMachineIsEquivalentAndNotInconclusive() {
        PointResult point = rounds(20, 1, 0.01, Map.of());
        assertThat(point.variants().stream().filter(variant -> variant.kind() == Kind.VARIANT))
                .allSatisfy(variant -> assertThat(variant.call()).isEqualTo(Call.EQUIVALENT));
        assertThat(rounds(4, 1, 0.3, Map.of()).variants().get(1).call()).isEqualTo(Call.INCONCLUSIVE);
    }

    /** An interval that fits several rules gets the verdict of the first. */
    @ParameterizedTest
    @CsvSource({
        "1.04, 1.08, 0.99, 1.01, BETTER",
        "0.93, 0.96, 0.99, 1.01, WORSE",
        "1.04, 1.50, 0.99, 1.01, BETTER",
        "1.01, 1.05, 0.99, 1.01, EQUIVALENT",
        "0.95, 0.99, 0.99, 1.01, EQUIVALENT",
        "1.04, 1.08, 1.05, 1.07, EQUIVALENT",
        "0.93, 0.96, 0.93, 0.95, EQUIVALENT",
        "1.04, 1.20, 1.05, 1.07, INCONCLUSIVE",
        "1.01, 1.20, 0.99, 1.01, INCONCLUSIVE",
        "0.90, 1.05, 0.99, 1.01, INCONCLUSIVE"
    })
    void theFirstRuleThatAppliesDecides(double low, double high, double againLow, double againHigh, Call call) {
        assertThat(Call.of(ratio(low, high), ratio(againLow, againHigh))).isEqualTo(call);
    }

    private static Ratio ratio(double low, double high) {
        return new Ratio(Math.sqrt(low * high), low, high);
    }

    @Test
    void aControlIsNeverCalled() {
        Variant control = new Variant("no lock", Map.of("strategy", "SELECT"), true);
        VariantResult result = compared(
                        4,
                        List.of(Variant.of("ROW"), control),
                        (place, round) -> Map.of(Metric.SCORE, place.variant().isControl() ? 500.0 : 100.0 + round % 2))
                .points()
                .get(0)
                .variants()
                .get(1);
        assertThat(result.ratio()).isNotNull();
        assertThat(result.call()).isNull();
    }

    @Test
    void everySecondRoundGoesBackwardsAndThePairsDiffer() {
        List<String> first = order(1);
        List<String> second = new ArrayList<>(order(2));
        java.util.Collections.reverse(second);
        assertThat(second).isEqualTo(first);
        assertThat(first.get(0)).isEqualTo("FOR_UPDATE");
        assertThat(first.get(first.size() - 1)).isEqualTo("FOR_UPDATE again");
        assertThat(order(3)).isNotEqualTo(first).containsExactlyInAnyOrderElementsOf(first);
    }

    private static List<String> order(int round) {
        return Comparison.turns(ZIPFIAN, POINT, round).stream()
                .map(place -> place.variant().label() + (place.again() ? " again" : ""))
                .toList();
    }

    /**
     * For two variants with one turn each in every round, the fit equals Student's test of the ratios of the rounds.
     */
    @Test
    void ofTwoTheIntervalIsStudents() {
        List<LoggedTurn> one = List.of(turn("a", 1, 1), turn("a", 2, 30), turn("a", 3, 500));
        List<LoggedTurn> other = List.of(turn("b", 1, 1), turn("b", 2, 60), turn("b", 3, 2_000));
        TurnFit fit = TurnFit.of(Stream.concat(one.stream(), other.stream()).toList(), 1)
                .orElseThrow();
        Ratio ratio = fit.ratio(other, one).orElseThrow();
        assertThat(ratio.mean()).isCloseTo(2, Offset.offset(1e-9));
        // The standard deviation of the logarithms is ln 2. With two degrees of freedom, t is 9.925 at 99 %.
        assertThat(Math.log(ratio.high() / ratio.mean()))
                .isCloseTo(9.924843 * Math.log(2) / Math.sqrt(3), Offset.offset(1e-6));
        assertThat(TurnFit.of(List.of(one.get(0), other.get(0)), 1)).isEmpty();
    }

    private static LoggedTurn turn(String variant, int round, double score) {
        return new LoggedTurn(variant, round, Math.log(score));
    }

    /** Returns the remarks on the scenario at one point, for a turn with these figures. */
    private static List<String> remarks(Point point, Map<String, Double> figures) {
        Rounds rounds = new Rounds(ZIPFIAN.with(List.of(point), List.of(Variant.of("ROW"))), 1);
        rounds.add(new Rounds.Place(point, Variant.of("ROW"), false), 1, new Measurement(figures, List.of(1.0)));
        return rounds.remarks();
    }

    @Test
    void aNetworkOtherThanTheOneAskedForIsSaid() {
        assertThat(remarks(POINT.over(0.5), Map.of(Metric.SCORE, 1.0, "net.roundTrip", 0.54)))
                .isEmpty();
        assertThat(remarks(POINT.over(0.5), Map.of(Metric.SCORE, 1.0, "net.roundTrip", 0.62)))
                .singleElement()
                .asString()
                .contains("a round trip took 0.62 ms and not the requested 0.50 ms", "busy");
        assertThat(remarks(POINT, Map.of(Metric.SCORE, 1.0, "net.roundTrip", 0.62)))
                .isEmpty();
    }

    /** One disturbed turn of the variant or of the baseline is enough, even if the difference is large. */
    @ParameterizedTest
    @ValueSource(strings = {"FOR_UPDATE", "ADVISORY"})
    void whereOtherProgramsTookMoreThanATenthInATurnThereIsNoCall(String disturbed) {
        ScenarioResult result = compared(5, BY_HAND_AND_ADVISORY, (place, round) -> {
            String label = place.variant().label();
            double others = label.equals(disturbed) && round == 3 ? 0.5 : 0.01;
            double score = (label.equals("ADVISORY") ? 300 : 100) + round;
            return Map.of(Metric.SCORE, score, "cpu.others", others, "cpu.cores", 2.0);
        });
        assertThat(result.points().get(0).variants().get(1).call()).isEqualTo(Call.DISTURBED);
        assertThat(Answer.of(List.of(result)))
                .startsWith("Nothing can be said: other programs took 25 % of this machine.");
    }

    @Test
    void anEmbeddedServerHasRoomForTheLocksOfAllClients() {
        Scenario share = Scenarios.named("share").orElseThrow();
        Map<String, String> settings = Comparison.embeddedSettings(
                share.with(List.of(share.points().get(0).of(300)), share.variants()));
        assertThat(Long.parseLong(settings.get("max_locks_per_transaction"))
                        * Long.parseLong(settings.get("max_connections")))
                .isGreaterThan(300_000);
    }
}
