package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks which resource is reported as the limit for given figures. */
class LimitTest {
    private static Map<String, Double> processors(double client, double server, double machine) {
        return Map.of(
                "cpu.client", client,
                "cpu.server", server,
                "cpu.machine", machine,
                "cpu.others", machine - client - server,
                "cpu.cores", 2.0);
    }

    private static final Map<String, Double> IDLE = processors(0.1, 0.2, 0.4);

    @Test
    void theProcessorsComeFirstAndWhoTakesThem() {
        Map<String, Double> waits = Map.of("Lock:tuple", 50.0);
        assertThat(Limit.of(processors(1.2, 0.5, 1.9), waits)).isEqualTo("CPU, by the clients");
        assertThat(Limit.of(processors(0.5, 1.2, 1.9), waits)).isEqualTo("CPU, by the server");
        assertThat(Limit.of(processors(0.5, 0.4, 1.9), waits)).isEqualTo("CPU, by other programs");
    }

    @Test
    void thenWhatMostSessionsWaitFor() {
        assertThat(Limit.of(IDLE, Map.of("Lock:tuple", 50.0, "Lock:transactionid", 20.0, "CPU", 1.0)))
                .isEqualTo("locks: 70 of 71 sessions wait");
        assertThat(Limit.of(IDLE, Map.of("IO:WalSync", 1.0, "LWLock:WALWrite", 2.0, "CPU", 1.0)))
                .isEqualTo("WAL: 3.0 of 4.0 sessions wait");
        assertThat(Limit.of(IDLE, Map.of("Client:ClientRead", 3.0, "CPU", 1.0))).isEqualTo("round trips");
        assertThat(Limit.of(IDLE, Map.of("CPU", 1.0))).isEqualTo("nothing");
        assertThat(Limit.of(IDLE, Map.of())).isEqualTo("not known");
    }
}
