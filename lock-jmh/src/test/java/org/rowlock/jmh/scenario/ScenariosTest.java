package org.rowlock.jmh.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the scenarios keep their names, so that published measurements can be repeated. */
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
