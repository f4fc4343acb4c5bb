package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Checks that an outage of the server costs one turn, and that no variant is left out. */
class OutageTest {
    @Test
    void costsTheTurnThatItEnded(@TempDir Path directory) throws Exception {
        Results results = run(directory, 2, List.of(Point.clients(1), Point.clients(2)));
        assertThat(results.failures()).hasSize(1).first().asString().contains("round 1");
        assertThat(results.scenarios().get(0).points())
                .allSatisfy(point -> assertThat(point.variants()).hasSize(2));
        assertThat(results.scenarios().get(0).points().get(1).variants())
                .extracting(VariantResult::rounds)
                .allSatisfy(rounds -> assertThat(rounds).hasSize(2));
    }

    /** Each of three outages hits the same variant. In the rounds between the outages, the variant's turn succeeds. */
    @Tag("long")
    @Test
    void ofThreeEachCostsItsTurn(@TempDir Path directory) throws Exception {
        Results results = run(directory, 6, List.of(Point.clients(1)));
        assertThat(results.failures()).hasSize(3);
        assertThat(results.scenarios().get(0).points().get(0).variants().get(1).rounds())
                .hasSize(3);
    }

    private static Results run(Path directory, int rounds, List<Point> points) throws Exception {
        Away away = new Away(directory.resolve("data"), TestPostgres.freePort(), new AtomicReference<>());
        away.start();
        try {
            Scenario clients = Scenarios.named("clients").orElseThrow();
            Scenario small =
                    clients.with(points, clients.variants().subList(0, 2)).timed(new Timing(rounds, 0, 1, 100));
            ServerAddress address = new ServerAddress(away.server().get().url(), null, null);
            return new Comparison(
                            new ComparisonSettings(List.of(small), address, 0, "", "", List.of(), null, null),
                            away::ended,
                            line -> away.failed())
                    .run();
        } finally {
            away.server().get().stop();
        }
    }

    /**
     * A server that stops after the first turn of each odd round. After the next turn has failed, the server starts
     * again. If other programs disturb the first turn, {@link Comparison} reports it and repeats it. The server then
     * stops after the repeated turn.
     */
    private record Away(Path data, int port, AtomicReference<TestPostgres> server) {
        void start() {
            server.set(TestPostgres.embedded(Map.of(), data, port));
        }

        void ended(String turn) {
            if (turn.matches("\\s*[135]/\\d  1 client, FOR_UPDATE.*")
                    && !turn.contains(" again")
                    && !turn.endsWith("; repeated")) {
                try {
                    server.get().stop();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        void failed() {
            CompletableFuture.runAsync(this::start, CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS));
        }
    }
}
