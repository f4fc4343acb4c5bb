package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;

class ComparisonTest {
    @Test
    void anEmbeddedServerHasRoomForTheLocksOfAllClients() {
        Scenario share = Scenarios.named("share").orElseThrow();
        Map<String, String> settings = Comparison.embeddedSettings(
                new Selection(share, List.of(Point.threads(300).locking(1_000)), share.variants(), share.rhythm()));
        assertThat(Long.parseLong(settings.get("max_locks_per_transaction"))
                        * Long.parseLong(settings.get("max_connections")))
                .isGreaterThan(300_000);
    }
}
