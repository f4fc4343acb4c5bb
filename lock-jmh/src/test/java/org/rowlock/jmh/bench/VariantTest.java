package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VariantTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ROW",
                "BOTH+admission",
                "ADVISORY+pipelined",
                "ADVISORY+pipelined+admission",
                "NAIVE",
                "OPTIMISTIC"
            })
    void isReadAsItIsWritten(String text) {
        assertThat(Variant.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ROWS", "ROW+queue", "NAIVE+admission", "OPTIMISTIC+pipelined", "+admission"})
    void anUnknownOneIsRefusedWithTheKnown(String text) {
        assertThatThrownBy(() -> Variant.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("There is no variant " + text)
                .hasMessageContaining("ROW, BOTH, ADVISORY, NAIVE, OPTIMISTIC");
    }
}
