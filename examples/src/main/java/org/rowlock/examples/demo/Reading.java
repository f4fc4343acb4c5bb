package org.rowlock.examples.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.rowlock.LockStrategy;

/** Reads the figures of one run for the user, the losses too. Every claim is computed; none is known beforehand. */
final class Reading {
    /** A wait longer by less than this is not called longer: the percentiles of one run differ by as much. */
    private static final double SAME_WAIT = 1.10;

    /** Bytes of WAL vary by this with what checkpoints and vacuum happen to write. */
    private static final double SAME_WAL = 1.02;

    /** Below this the table shows 0.000; vacuum may make one now and then. */
    private static final double NO_MULTIXACTS = 0.0005;

    private final Map<DemoVariant, DemoMeasurement> measurements;
    private final DemoMeasurement baseline;

    private Reading(Map<DemoVariant, DemoMeasurement> measurements) {
        this.measurements = measurements;
        this.baseline = of(DemoVariant.BASELINE);
    }

    /**
     * Reads a run.
     *
     * @param measurements of every variant
     * @return a paragraph per line
     */
    static List<String> of(Map<DemoVariant, DemoMeasurement> measurements) {
        if (measurements.values().stream().anyMatch(m -> m.transfers() == 0)) {
            return List.of("At least one configuration did no transfer at all, so there is nothing to compare. Give it"
                    + " more time with -D" + DemoSettings.SECONDS + ".");
        }
        Reading reading = new Reading(measurements);
        return List.of(reading.throughput(), reading.losses(), reading.footprint());
    }

    private String throughput() {
        DemoVariant best = DemoVariant.BASELINE;
        for (DemoVariant variant : measurements.keySet()) {
            if (of(variant).perSecond() > of(best).perSecond()) {
                best = variant;
            }
        }
        String first = best.equals(DemoVariant.BASELINE)
                ? "Nothing beat " + DemoVariant.BASELINE + " here."
                : "Most throughput: " + best + ", " + ratio(best) + " that of " + DemoVariant.BASELINE
                        + (of(best).isClearlyFasterThan(baseline) ? "." : ", but the rounds differ by as much.");
        return first + " One lever at a time: admission alone " + ratio(new DemoVariant(LockStrategy.ROW, true))
                + ", the advisory lock in front of the row lock (BOTH) "
                + ratio(new DemoVariant(LockStrategy.BOTH, false))
                + ", in its place (ADVISORY) " + ratio(new DemoVariant(LockStrategy.ADVISORY, false)) + ".";
    }

    private String losses() {
        List<String> losses = new ArrayList<>();
        for (DemoVariant variant : measurements.keySet()) {
            List<String> worse = losses(of(variant));
            if (!variant.equals(DemoVariant.BASELINE) && !worse.isEmpty()) {
                losses.add(variant + " (" + String.join(", ", worse) + ")");
            }
        }
        return losses.isEmpty()
                ? "Losses: none; no configuration was clearly slower than " + DemoVariant.BASELINE
                        + ", waited longer or wrote more WAL."
                : "Losses against " + DemoVariant.BASELINE + ": " + String.join("; ", losses) + ".";
    }

    private List<String> losses(DemoMeasurement m) {
        List<String> worse = new ArrayList<>();
        if (baseline.isClearlyFasterThan(m)) {
            worse.add(times(m.perSecond() / baseline.perSecond()) + " the throughput");
        }
        for (int percentile : new int[] {50, 99}) {
            double ratio = m.waitMillisAt(percentile) / baseline.waitMillisAt(percentile);
            if (ratio > SAME_WAIT) {
                worse.add(times(ratio) + " the wait p" + percentile);
            }
        }
        double wal = m.walBytesPerTransfer() / baseline.walBytesPerTransfer();
        if (wal > SAME_WAL) {
            worse.add(times(wal) + " the WAL");
        }
        return worse;
    }

    private String footprint() {
        DemoMeasurement advisory = of(new DemoVariant(LockStrategy.ADVISORY, false));
        double saved = baseline.walBytesPerTransfer() - advisory.walBytesPerTransfer();
        double share = saved / baseline.walBytesPerTransfer();
        String wal = share > SAME_WAL - 1
                ? "The row locks' own share of the WAL, saved by ADVISORY, is " + Math.round(saved)
                        + " bytes per transfer (" + Math.round(100 * share) + " %)."
                : "ADVISORY saved no WAL worth the name here.";
        String xids = " An xid is needed whatever the lock, for the updates: " + decimal(baseline.xidsPerTransfer())
                + " per transfer with ROW, " + decimal(advisory.xidsPerTransfer()) + " with ADVISORY.";
        double multiXacts = measurements.values().stream()
                .mapToDouble(DemoMeasurement::multiXactsPerTransfer)
                .max()
                .orElse(0);
        return wal
                + xids
                + (multiXacts < NO_MULTIXACTS
                        ? " MultiXacts: none with any strategy, as no lock here is shared."
                        : " MultiXacts: up to " + decimal(multiXacts) + " per transfer.");
    }

    private String ratio(DemoVariant variant) {
        return times(of(variant).perSecond() / baseline.perSecond());
    }

    private DemoMeasurement of(DemoVariant variant) {
        DemoMeasurement measurement = measurements.get(variant);
        if (measurement == null) {
            throw new IllegalArgumentException("Nothing was measured of " + variant);
        }
        return measurement;
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, "%.2fx", ratio);
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
