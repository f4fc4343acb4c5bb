package org.rowlock.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoSettingsTest {
    @Test
    void emptyMeansNotGiven() {
        Map<String, String> empty = Map.of(
                DemoSettings.URL, "",
                DemoSettings.USER, "",
                DemoSettings.PASSWORD, "",
                DemoSettings.SECONDS, "",
                DemoSettings.CLIENTS, "");

        assertThat(DemoSettings.from(empty::get))
                .isEqualTo(DemoSettings.from(name -> null))
                .isEqualTo(new DemoSettings(null, null, null, Duration.ofSeconds(8), 64));
    }

    @Test
    void takesWhatIsGiven() {
        Map<String, String> given = Map.of(
                DemoSettings.URL, "jdbc:postgresql://db/shop",
                DemoSettings.USER, "anne",
                DemoSettings.PASSWORD, " with spaces ",
                DemoSettings.SECONDS, "3",
                DemoSettings.CLIENTS, "5");

        assertThat(DemoSettings.from(given::get))
                .isEqualTo(new DemoSettings(
                        "jdbc:postgresql://db/shop", "anne", " with spaces ", Duration.ofSeconds(3), 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "ten", "99999999999999999999"})
    void aNumberThatIsNoneIsNamedWithItsRange(String bad) {
        for (String name : new String[] {DemoSettings.SECONDS, DemoSettings.CLIENTS}) {
            assertThatThrownBy(() -> DemoSettings.from(Map.of(name, bad)::get))
                    .isInstanceOf(DemoException.class)
                    .hasMessageContaining("-D" + name + "=" + bad + " is not a whole number from 1 to");
        }
    }
}
