package org.rowlock.jmh.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others have measured and published can be measured again, by a name that does not change. */
class ScenariosTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "zipfian",
                "clients",
                "share",
                "bystander",
                "write-mix",
                "lock-loss",
                "horizon",
                "autovacuum",
                "lwlocks-buffers",
                "lwlocks-procarray",
                "lwlocks-fastpath",
                "early-release",
                "group"
            })
    void everyPublishedSourceIsRunByItsName(String name) {
        assertThat(Scenarios.named(name)).hasValueSatisfying(scenario -> {
            assertThat(scenario.published()).isNotEmpty();
            assertThat(scenario.points()).isNotEmpty();
            assertThat(scenario.variants()).hasSizeGreaterThan(1);
        });
    }
}
