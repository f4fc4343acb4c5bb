package org.rowlock.examples.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Measures all variants in rounds: each gets a slice of every round, so that a machine that is busy for a while slows
 * all of them. Every second round goes backwards, so that whatever gets faster or slower with time (the JVM compiles,
 * the disk fills) favours none. Before the first round each runs for a moment that does not count.
 */
final class DemoComparison {
    private static final int ROUNDS = 4;
    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(2);

    private final Connection observer;
    private final Crowd crowd;
    private final DemoProgress progress;
    private final Books books = new Books();
    private final Map<DemoVariant, TransferService> services = new LinkedHashMap<>();

    DemoComparison(DataSource pool, Connection observer, Crowd crowd, DemoProgress progress) {
        this.observer = observer;
        this.crowd = crowd;
        this.progress = progress;
        for (DemoVariant variant : DemoVariant.all()) {
            services.put(variant, new TransferService(pool, variant));
        }
    }

    static Duration total(Duration perVariant) {
        return perVariant
                .plus(warmUp(perVariant))
                .multipliedBy(DemoVariant.all().size());
    }

    private static Duration warmUp(Duration perVariant) {
        Duration share = perVariant.dividedBy(5);
        return share.compareTo(LONGEST_WARM_UP) < 0 ? share : LONGEST_WARM_UP;
    }

    Map<DemoVariant, DemoMeasurement> run(Duration perVariant) throws SQLException {
        Map<DemoVariant, DemoMeasurement> measurements = new LinkedHashMap<>();
        for (DemoVariant variant : DemoVariant.all()) {
            DemoMeasurement measurement = new DemoMeasurement();
            measurement.addMoneyOf(slice("warm-up", variant, warmUp(perVariant)));
            measurements.put(variant, measurement);
        }
        List<Map.Entry<DemoVariant, DemoMeasurement>> order = new ArrayList<>(measurements.entrySet());
        for (int round = 1; round <= ROUNDS; round++) {
            for (Map.Entry<DemoVariant, DemoMeasurement> next : order) {
                next.getValue()
                        .add(slice("round " + round + " of " + ROUNDS, next.getKey(), perVariant.dividedBy(ROUNDS)));
            }
            Collections.reverse(order);
        }
        return measurements;
    }

    private Slice slice(String phase, DemoVariant variant, Duration duration) throws SQLException {
        TransferService service = services.get(variant);
        if (service == null) {
            throw new IllegalArgumentException("No service for " + variant);
        }
        progress.begins(phase, variant);
        DemoAccounts.vacuum(observer);
        DemoCounters before = DemoCounters.read(observer);
        Crowd.Run run = crowd.transfer(service, duration);
        DemoCounters used = DemoCounters.read(observer).since(before);
        MoneyCheck money = books.settle(run.log(), DemoAccounts.balances(observer));
        Slice slice = new Slice(run.log(), run.elapsed(), used, money);
        progress.ends(slice);
        return slice;
    }
}
