package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.server.EmbeddedServer;

/** Checks that a run reports the remains that it cannot remove, and how the user can remove them. */
class CleanUpTest {
    @Test
    void aServerThatIsGoneMayHaveTheSchemaLeft() throws Exception {
        try (EmbeddedServer server = EmbeddedServer.start(Map.of())) {
            Scenario clients = Scenarios.named("clients").orElseThrow();
            Scenario one = clients.with(
                            List.of(Point.clients(1)), clients.variants().subList(0, 1))
                    .timed(new Timing(1, 0, 1, 200));
            AtomicReference<Comparison> running = new AtomicReference<>();
            Comparison comparison = new Comparison(
                    new ComparisonSettings(List.of(one), server.address(), 0, "", "", List.of(), null, null),
                    // The server stops after the first turn. The comparison is stopped when the next turn has failed.
                    line -> {
                        if (line.endsWith(" left")) {
                            stop(server);
                        }
                    },
                    line -> running.get().stop());
            running.set(comparison);
            Results results = comparison.run();
            assertThat(comparison.left()).contains("drop schema if exists rowlock_bench cascade");
            assertThat(results.failures())
                    .anySatisfy(failure -> assertThat(failure)
                            .startsWith("clients, " + clients.variants().get(0).label() + ", round 1: "))
                    .anySatisfy(failure -> assertThat(failure)
                            .startsWith("clients, clean-up: ")
                            .contains("drop schema if exists rowlock_bench cascade")
                            .contains("localhost:" + server.port()));
        }
    }

    @Test
    void doorsReportTheFinishedPointsAndNameTheSchemaThatTheyLeave() throws Exception {
        try (EmbeddedServer server = EmbeddedServer.start(Map.of())) {
            Scenario doors = Scenarios.named("doors").orElseThrow();
            List<Point> points = List.of(Point.clients(1), Point.clients(2));
            Scenario byHand = doors.with(points, List.of(doors.baseline())).timed(new Timing(1, 0, 1, 50));
            AtomicReference<String> point = new AtomicReference<>("");
            Comparison run = new Comparison(
                    new ComparisonSettings(List.of(byHand), server.address(), 1, "", "", List.of(), null, null),
                    line -> {
                        if (line.startsWith("  doors, ")) {
                            point.set(line);
                        } else if (point.get().endsWith("2 clients") && line.contains("warm-up")) {
                            stop(server);
                        }
                    },
                    line -> {});
            Results results = run.run();
            assertThat(results.scenarios())
                    .singleElement()
                    .satisfies(scenario -> assertThat(scenario.points())
                            .extracting(PointResult::label)
                            .containsExactly("1 client"));
            assertThat(results.failures())
                    .first()
                    .asString()
                    .startsWith("doors, 2 clients: With the variant 'by hand': ");
            assertThat(run.left())
                    .contains("drop schema if exists rowlock_bench cascade")
                    .contains("localhost:" + server.port());
        }
    }

    private static void stop(EmbeddedServer server) {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
