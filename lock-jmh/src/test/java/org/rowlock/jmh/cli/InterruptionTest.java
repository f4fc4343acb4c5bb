package org.rowlock.jmh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class InterruptionTest {
    private final StringWriter err = new StringWriter();

    private void interruptWith(String left) {
        Interruption interruption = new Interruption(() -> {}, () -> left, new PrintWriter(err));
        interruption.close();
        interruption.interrupted();
        assertThat(interruption.isInterrupted()).isTrue();
    }

    @Test
    void whatIsLeftIsNamed() {
        interruptWith("The schema is left. Drop it.");
        assertThat(err.toString()).contains("The schema is left. Drop it.").doesNotContain("Nothing is left");
    }

    @Test
    void nothingIsLeftOnlyIfTheCleanUpSucceeded() {
        interruptWith("");
        assertThat(err.toString()).contains("Nothing is left behind.").doesNotContain("before everything");
    }
}
