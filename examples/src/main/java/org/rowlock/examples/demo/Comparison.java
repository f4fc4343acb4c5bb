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
final class Comparison {
    private static final int ROUNDS = 4;
    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(2);

    private final Connection observer;
    private final Crowd crowd;
    private final Progress progress;
    private final Books books = new Books();
    private final Map<Variant, TransferService> services = new LinkedHashMap<>();

    Comparison(DataSource pool, Connection observer, Crowd crowd, Progress progress) {
        this.observer = observer;
        this.crowd = crowd;
        this.progress = progress;
        for (Variant variant : Variant.all()) {
            services.put(variant, new TransferService(pool, variant));
        }
    }

    static Duration total(Duration perVariant) {
        return perVariant.plus(warmUp(perVariant)).multipliedBy(Variant.all().size());
    }

    private static Duration warmUp(Duration perVariant) {
        Duration share = perVariant.dividedBy(5);
        return share.compareTo(LONGEST_WARM_UP) < 0 ? share : LONGEST_WARM_UP;
    }

    Map<Variant, Measurement> run(Duration perVariant) throws SQLException {
        Map<Variant, Measurement> measurements = new LinkedHashMap<>();
        for (Variant variant : Variant.all()) {
            Measurement measurement = new Measurement();
            measurement.addMoneyOf(slice("warm-up", variant, warmUp(perVariant)));
            measurements.put(variant, measurement);
        }
        List<Map.Entry<Variant, Measurement>> order = new ArrayList<>(measurements.entrySet());
        for (int round = 1; round <= ROUNDS; round++) {
            for (Map.Entry<Variant, Measurement> next : order) {
                next.getValue()
                        .add(slice("round " + round + " of " + ROUNDS, next.getKey(), perVariant.dividedBy(ROUNDS)));
            }
            Collections.reverse(order);
        }
        return measurements;
    }

    private Slice slice(String phase, Variant variant, Duration duration) throws SQLException {
        TransferService service = services.get(variant);
        if (service == null) {
            throw new IllegalArgumentException("No service for " + variant);
        }
        progress.begins(phase, variant);
        Accounts.vacuum(observer);
        ServerCounters before = ServerCounters.read(observer);
        Crowd.Run run = crowd.transfer(service, duration);
        ServerCounters used = ServerCounters.read(observer).since(before);
        MoneyCheck money = books.settle(run.log(), Accounts.balances(observer));
        Slice slice = new Slice(run.log(), run.elapsed(), used, money);
        progress.ends(slice);
        return slice;
    }
}
