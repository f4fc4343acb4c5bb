package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.jmh.bench.Scenarios;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Variant;

/** A difference is called where there is one, and nowhere else. */
class CallTest {
    private static final Scenario ZIPFIAN = Scenarios.named("zipfian").orElseThrow();
    private static final Point POINT = ZIPFIAN.points().get(0);

    /** Rounds of a machine whose speed drifts, and where a measurement differs from the next by so much. */
    private static PointResult rounds(int number, long seed, double noise, Map<String, Double> gains) {
        Random random = new Random(seed);
        Scenario scenario = ZIPFIAN.with(List.of(POINT), ZIPFIAN.variants());
        Rounds rounds = new Rounds(scenario);
        double speed = 1_000;
        for (int round = 1; round <= number; round++) {
            for (Rounds.Place place : Comparison.turns(scenario, POINT, round)) {
                speed *= 0.98;
                double gain = gains.getOrDefault(place.variant().label(), 1.0);
                double score = speed * gain * Math.exp(noise * random.nextGaussian());
                rounds.add(place, round, new Measurement(Map.of(Metric.SCORE, score), List.of(score)));
            }
        }
        return rounds.compare().points().get(0);
    }

    private static List<VariantResult> called(PointResult point) {
        return point.variants().stream()
                .filter(variant -> variant.call() == Call.BETTER || variant.call() == Call.WORSE)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void theSameAgainstItselfIsNoDifference(long seed) {
        assertThat(called(rounds(20, seed, 0.15, Map.of()))).isEmpty();
        assertThat(called(rounds(4, seed, 0.15, Map.of()))).isEmpty();
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
        assertThat(advisory.sentence()).startsWith("ADVISORY is 2.").contains("x as good as FOR_UPDATE (");
    }

    @Test
    void aMachineThatDiffersFromItselfNineTimesCallsNothing() {
        assertThat(called(rounds(4, 1, 1.0, Map.of("ADVISORY", 2.5)))).isEmpty();
    }

    @Test
    void whatIsCloseOnACalmMachineIsEquivalentAndNotInconclusive() {
        PointResult point = rounds(20, 1, 0.01, Map.of());
        assertThat(point.variants().stream().filter(variant -> variant.kind() == Kind.VARIANT))
                .allSatisfy(variant -> {
                    assertThat(variant.call()).isEqualTo(Call.EQUIVALENT);
                    assertThat(variant.sentence()).contains("equivalent within");
                });
        assertThat(rounds(4, 1, 0.3, Map.of()).variants().get(1).sentence()).contains("inconclusive");
    }

    @Test
    void aControlIsNeverCalled() {
        Variant control = Variant.of("SELECT").control("no lock");
        Scenario scenario = ZIPFIAN.with(List.of(POINT), List.of(Variant.of("ROW"), control));
        Rounds rounds = new Rounds(scenario);
        for (int round = 1; round <= 4; round++) {
            for (Rounds.Place place : Comparison.turns(scenario, POINT, round)) {
                double score = place.variant().isControl() ? 500 : 100 + round % 2;
                rounds.add(place, round, new Measurement(Map.of(Metric.SCORE, score), List.of(score)));
            }
        }
        VariantResult result = rounds.compare().points().get(0).variants().get(1);
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

    @Test
    void aRatioHasStudentsInterval() {
        Ratio ratio = Ratio.of(List.of(1.0, 2.0, 4.0)).orElseThrow();
        assertThat(ratio.mean()).isCloseTo(2, org.assertj.core.data.Offset.offset(1e-9));
        // The logarithms' deviation is ln 2, and t with two degrees of freedom 4.303.
        assertThat(String.format(Locale.ROOT, "%.3f", Math.log(ratio.high() / ratio.mean())))
                .isEqualTo(String.format(Locale.ROOT, "%.3f", 4.302653 * Math.log(2) / Math.sqrt(3)));
        assertThat(Ratio.of(List.of(1.0))).isEmpty();
        assertThat(Ratio.of(List.of(0.0, 1.0))).isEmpty();
    }

    @Test
    void anEmbeddedServerHasRoomForTheLocksOfAllClients() {
        Scenario share = Scenarios.named("share").orElseThrow();
        Map<String, String> settings = Comparison.embeddedSettings(
                share.with(List.of(Point.clients(300).locking(1_000)), share.variants()));
        assertThat(Long.parseLong(settings.get("max_locks_per_transaction"))
                        * Long.parseLong(settings.get("max_connections")))
                .isGreaterThan(300_000);
    }
}
