package org.rowlock.examples.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** All that was measured of one variant, summed over the rounds. Not thread-safe. */
final class DemoMeasurement {
    private final ClientLog log = new ClientLog();
    private final List<Double> roundsPerSecond = new ArrayList<>();
    private Duration elapsed = Duration.ZERO;
    private DemoCounters counters = DemoCounters.NONE;
    private MoneyCheck money = MoneyCheck.EXACT;

    void add(Slice slice) {
        log.add(slice.log());
        elapsed = elapsed.plus(slice.elapsed());
        counters = counters.plus(slice.counters());
        money = money.and(slice.money());
        roundsPerSecond.add(slice.perSecond());
    }

    /** For a slice that only warms up: its speed does not count, but money lost in it is lost too. */
    void addMoneyOf(Slice warmUp) {
        money = money.and(warmUp.money());
    }

    long transfers() {
        return log.transfers();
    }

    double perSecond() {
        return transfers() / (elapsed.toNanos() / 1e9);
    }

    double waitMillisAt(double percentile) {
        return log.waitMillisAt(percentile);
    }

    double walBytesPerTransfer() {
        return (double) counters.walBytes() / transfers();
    }

    double xidsPerTransfer() {
        return (double) counters.xids() / transfers();
    }

    double multiXactsPerTransfer() {
        return (double) counters.multiXacts() / transfers();
    }

    MoneyCheck money() {
        return money;
    }

    /** Whether even the worst round did more than the other's best one. Else the difference may be noise. */
    boolean isClearlyFasterThan(DemoMeasurement other) {
        return roundsPerSecond.stream().mapToDouble(Double::doubleValue).min().orElse(0)
                > other.roundsPerSecond.stream()
                        .mapToDouble(Double::doubleValue)
                        .max()
                        .orElse(0);
    }
}
