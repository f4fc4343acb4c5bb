package org.rowlock.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.LockStrategy;

/** The reading is computed: other figures, other sentences. */
class ReadingTest {
    private static final DemoVariant ADVISORY = new DemoVariant(LockStrategy.ADVISORY, false);

    private final Map<DemoVariant, DemoMeasurement> measurements = new LinkedHashMap<>();

    ReadingTest() {
        for (DemoVariant variant : DemoVariant.all()) {
            measurements.put(variant, measurement(slice(100, 10, 300)));
        }
    }

    @Test
    void namesTheFastestAndItsRatio() {
        measurements.put(ADVISORY, measurement(slice(250, 10, 300)));

        assertThat(reading())
                .contains("Most throughput: ADVISORY without admission, 2.50x that of ROW without admission.")
                .contains("in its place (ADVISORY) 2.50x")
                .contains("Losses: none");
    }

    @Test
    void doesNotClaimWhatTheRoundsDoNotShow() {
        measurements.put(DemoVariant.BASELINE, measurement(slice(80, 10, 300), slice(130, 10, 300)));
        measurements.put(ADVISORY, measurement(slice(120, 10, 300), slice(120, 10, 300)));

        assertThat(reading())
                .contains("ADVISORY without admission, 1.14x")
                .contains("but the rounds differ by as much");
    }

    @Test
    void tellsEveryLoss() {
        measurements.put(ADVISORY, measurement(slice(50, 40, 360)));

        assertThat(reading())
                .contains("Nothing beat ROW without admission")
                .contains("Losses against ROW without admission: ADVISORY without admission (0.50x the throughput,"
                        + " 4.00x the wait p50, 4.00x the wait p99, 1.20x the WAL).")
                .contains("ADVISORY saved no WAL");
    }

    @Test
    void tellsWhatTheRowLocksWrite() {
        measurements.put(ADVISORY, measurement(slice(100, 10, 180)));

        assertThat(reading()).contains("is 120 bytes per transfer (40 %)").contains("MultiXacts: none");
    }

    @Test
    void comparesNothingWithNothing() {
        measurements.put(ADVISORY, measurement(slice(0, 10, 0)));

        assertThat(reading()).contains("did no transfer at all", "-Drowlock.demo.seconds");
        assertThat(ResultTable.of(measurements)).doesNotContain("NaN");
    }

    @Test
    void theTableMarksAConfigurationThatLostMoney() {
        measurements.put(
                ADVISORY,
                measurement(
                        new Slice(new ClientLog(), Duration.ofSeconds(1), DemoCounters.NONE, new MoneyCheck(2, 0))));

        assertThat(ResultTable.of(measurements).lines())
                .filteredOn(line -> line.endsWith("WRONG"))
                .singleElement()
                .asString()
                .startsWith("ADVISORY  no");
    }

    private String reading() {
        return String.join("\n", Reading.of(measurements));
    }

    private static DemoMeasurement measurement(Slice... slices) {
        DemoMeasurement measurement = new DemoMeasurement();
        for (Slice slice : slices) {
            measurement.add(slice);
        }
        return measurement;
    }

    /** A second of transfers that all waited equally long. */
    private static Slice slice(int transfers, int waitMillis, int walBytesPerTransfer) {
        ClientLog log = new ClientLog();
        for (int i = 0; i < transfers; i++) {
            log.record(
                    new Transfer(1, 2, 1),
                    new Receipt(1, Duration.ofMillis(waitMillis).toNanos()));
        }
        DemoCounters counters = new DemoCounters((long) walBytesPerTransfer * transfers, transfers, 0);
        return new Slice(log, Duration.ofSeconds(1), counters, MoneyCheck.EXACT);
    }
}
