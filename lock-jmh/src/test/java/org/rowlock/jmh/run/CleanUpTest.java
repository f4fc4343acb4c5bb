package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.server.EmbeddedServer;

/** What a run cannot remove it says, and how the user can. */
class CleanUpTest {
    @Test
    void aServerThatIsGoneMayHaveTheSchemaLeft() throws Exception {
        try (EmbeddedServer server = EmbeddedServer.start(Map.of())) {
            Scenario scenario = Scenarios.named("clients").orElseThrow();
            Selection selection = new Selection(
                    scenario, List.of(Point.threads(1)), List.of("ROW"), new Scenario.Rhythm(1, 0, 1, 200, false));
            Comparison comparison = new Comparison(
                    new ComparisonSettings(List.of(selection), server.address(), 0, "", null), new Stopping(server));
            RunResults results = comparison.run();
            assertThat(comparison.isClean()).isFalse();
            assertThat(results.failures()).containsKey("clients, ROW");
            assertThat(results.failures().get("clients, clean-up"))
                    .contains("drop schema if exists rowlock_bench cascade")
                    .contains("localhost:" + server.port());
        }
    }

    /** Stops the server when the first variant is about to run. */
    private record Stopping(EmbeddedServer server) implements Progress {
        @Override
        public void scenario(Selection selection, int number, int of) {
            // Not yet.
        }

        @Override
        public void begins(Selection selection, Point point, String variant, int round) {
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void ended(Selection selection, Cell cell, int round, double done, Duration left) {
            // Never comes so far.
        }

        @Override
        public void failed(Scenario scenario, String variant, String message) {
            // Is among the results.
        }
    }
}
