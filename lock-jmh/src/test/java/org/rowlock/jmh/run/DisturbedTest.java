package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Checks that no variant gets a verdict on a machine that other programs use. */
@DisabledOnOs(OS.WINDOWS)
class DisturbedTest {
    /**
     * Programs that use all processors. The shell that starts these programs ends, so they are no children of this JVM.
     */
    private record Load(List<ProcessHandle> processes) implements AutoCloseable {
        static Load start() throws Exception {
            int count = Runtime.getRuntime().availableProcessors();
            Process shell = new ProcessBuilder(
                            "sh",
                            "-c",
                            "for i in $(seq " + count
                                    + "); do timeout 60 sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!; done")
                    .start();
            try (BufferedReader pids = shell.inputReader()) {
                List<ProcessHandle> started = pids.lines()
                        .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
                        .toList();
                shell.waitFor();
                return new Load(started);
            }
        }

        @Override
        public void close() {
            processes.forEach(ProcessHandle::destroy);
        }
    }

    @Test
    @Tag("long")
    void aLoadBesideItMakesNoCall() throws Exception {
        Scenario zipfian = Scenarios.named("zipfian").orElseThrow();
        Scenario small = zipfian.with(
                        List.of(Point.clients(4)), zipfian.variants().subList(0, 3))
                .timed(new Timing(2, 0, 1, 300));
        TestPostgres server = TestPostgres.shared();
        ServerAddress address = new ServerAddress(server.url(), server.user(), server.password());
        ComparisonSettings settings =
                new ComparisonSettings(List.of(small), address, 0, "test", "test", List.of(), null, null);
        try (Load load = Load.start()) {
            assertThat(load.processes()).isNotEmpty();
            Results results = new Comparison(settings, line -> {}, line -> {}).run();
            assertThat(results.answer()).matches("Nothing can be said: other programs took \\d+ % of this machine.*");
            assertThat(results.scenarios().get(0).points().get(0).variants().subList(1, 3))
                    .allSatisfy(variant -> assertThat(variant.call()).isEqualTo(Call.DISTURBED));
        }
    }

    /** The kernel counts in coarse units, so in a short turn the share of other programs can seem negative. */
    @ParameterizedTest
    @CsvSource({"0.3, -0.3, BETTER", "0.3, 0.3, DISTURBED"})
    void errorsOfShortTurnsCancelOut(double odd, double even, Call expected) {
        Scenario zipfian = Scenarios.named("zipfian").orElseThrow();
        Point point = zipfian.points().get(0);
        Scenario small = zipfian.with(List.of(point), List.of(Variant.of("FOR_UPDATE"), Variant.of("ADVISORY")))
                .timed(new Timing(6, 0, 1, 250));
        Rounds rounds = new Rounds(small, 1);
        int cores = Runtime.getRuntime().availableProcessors();
        for (int round = 1; round <= 6; round++) {
            double others = round % 2 == 1 ? odd : even;
            for (Rounds.Place place : Comparison.turns(small, point, round)) {
                double score = (place.variant().equals(small.baseline()) ? 100 : 300) + round;
                rounds.add(
                        place, round, measurement(score, new Processors.Taken(1, 0.5, 0.5, 1 + others * cores, true)));
            }
        }
        assertThat(rounds.compare().points().get(0).variants().get(1).call()).isEqualTo(expected);
        assertThat(rounds.remarks()).isEmpty();
    }

    /** The server's processor time would count as that of other programs. */
    @Test
    void aServerInAContainerIsRemarked() {
        Scenario zipfian = Scenarios.named("zipfian").orElseThrow();
        Rounds rounds = new Rounds(zipfian, 1);
        rounds.add(
                Comparison.turns(zipfian, zipfian.points().get(0), 1).get(0),
                1,
                measurement(100, new Processors.Taken(1, 0.5, 0, 2, false)));
        assertThat(rounds.remarks()).singleElement().asString().contains("container", "the share of other programs");
    }

    private static Measurement measurement(double score, Processors.Taken taken) {
        Published results = new Published(1, score);
        taken.addTo(results, 1);
        return Measurement.of(results, 0);
    }

    /** The work of this JVM does not count as the work of other programs. */
    @Test
    void ownWorkIsNotThatOfOthers() {
        Processors processors = Processors.ofThisMachine();
        Processors.Taken before = processors.taken();
        long end = System.nanoTime() + 500_000_000L;
        long spun = 0;
        while (System.nanoTime() < end) {
            spun++;
        }
        Processors.Taken taken = processors.taken().since(before);
        assertThat(spun).isPositive();
        assertThat(taken.client()).isPositive();
        assertThat(taken.machine()).isGreaterThanOrEqualTo(taken.client() * 0.5);
        assertThat(taken.othersShare())
                .isLessThanOrEqualTo(
                        taken.machine() / taken.seconds() / Runtime.getRuntime().availableProcessors());
    }
}
