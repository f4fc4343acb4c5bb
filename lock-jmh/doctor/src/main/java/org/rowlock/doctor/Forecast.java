package org.rowlock.doctor;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Wait.Doing;

/**
 * An estimate of the highest transaction rate of a table's hottest row, now and with each lever. A lever is a change
 * that shortens the lock cycle. The lock cycle, {@code turn} in the code, is the time from one transaction's lock on
 * the row to the next transaction's lock. The first session in line waits for a whole cycle. Sampled at a random
 * moment, that session has waited for part of the cycle. The holder is always in one state, such as committing. A
 * state's share of the samples is also its share of the cycle. Most levers remove or shorten one state. Grouped
 * transactions share some states, such as the commit. In two runs with twenty loads, 39 of 40 estimates of the present
 * rate were within a factor of 1.5. Of the estimates after a change, 32 were within a factor of 1.5, and 38 within 2.
 *
 * @param sightings the number of sampled waits from which the estimate is computed
 * @param levers the estimated rate by lever; levers that gain little are left out
 */
record Forecast(String table, double perSecond, int sightings, Map<String, Double> levers) {
    /**
     * The part of its former time that the server's work takes after a lever has saved round trips. The server then has
     * fewer sessions to wake, and commits more often. The value is the mean of ten loads.
     */
    private static final double WORK_LEFT = 0.45;

    /** The number of samples that is added to the remaining time, because few samples may be due to chance. */
    private static final double CHANCE = 3;

    /** A transaction of more than two round trips is idle for at least this many pauses. */
    private static final double PAUSES = 1.5;

    /** The assumed limit of transactions in one group. */
    private static final double LARGEST_GROUP = 64;

    /**
     * The shortest cycle that can be estimated, in milliseconds. The doctor reads the server's views one after another,
     * so short waits seem longer. In a test, two of ten loads had cycles of less than a millisecond. The estimated
     * cycles of these two loads were five times too long.
     */
    private static final double LEAST_TURN_MILLIS = 6;

    /** The smallest gain that is reported. The estimate is too inexact for smaller gains. */
    private static final double LEAST_GAIN = 1.1;

    /**
     * Returns the estimate; null if there are too few samples, if the cycle is too short, or if sessions hang or share
     * the row. Also returns null if, in more than a tenth of the samples, the holder is prepared or hidden, or waits
     * for a lock.
     *
     * @param most the number of locks of the table's rows per second, which the rate of one row cannot exceed
     */
    static @Nullable Forecast of(Table table, double most) {
        double idleShare = table.share(Table.Of.HOLDER, Doing.IDLE_IN_TRANSACTION);
        double runShare = table.share(Table.Of.HOLDER, Doing.RUNNING);
        double commitShare = table.share(Table.Of.HOLDER, Doing.COMMITTING);
        double wakeShare = table.noneYetShare();
        double turn = Math.max(table.heldMillis() / (1 - wakeShare), 1_000 / most);
        if (table.firstWaits() < Threshold.SIGHTINGS
                || turn < LEAST_TURN_MILLIS
                || Double.isInfinite(turn)
                || table.firstWaitMillis() >= 1_000 * Threshold.LONG_SECONDS
                || table.foreignKeyShare() + table.sharingShare() >= Threshold.HURT_SHARE
                || idleShare + runShare + commitShare + wakeShare < 1 - Threshold.HURT_SHARE) {
            return null;
        }
        double least = CHANCE * turn / table.firstWaits();
        double idle = idleShare * turn;
        double pause = Math.min(idle, table.pauseMillis());
        double work = WORK_LEFT * (turn - idle);
        // While half of the callers wait for the commit of a group, the other half forms the next group. During the
        // round
        // trip of a group, which holds no lock then, the server runs the other group.
        double group = Math.min(LARGEST_GROUP, Math.max(1, table.contenders() / 2));
        double grouped = least + (group * runShare + commitShare + wakeShare) * turn;
        Map<String, Double> possible = new LinkedHashMap<>();
        if (idleShare >= Threshold.HURT_SHARE) {
            if (idle >= PAUSES * pause) {
                possible.put("with 2 round trips", 1_000 / (work + pause));
            }
            possible.put("with all in one round trip", 1_000 / Math.max(least, work));
        }
        possible.put("with early release", 1_000 / (least + (1 - commitShare) * turn));
        possible.put("with a queue", 1_000 / (least + (1 - wakeShare) * turn));
        possible.put("with groups in one JVM", group * 1_000 / Math.max(grouped, (pause + grouped) / 2));
        Map<String, Double> levers = new LinkedHashMap<>();
        possible.forEach((lever, rate) -> {
            if (rate >= LEAST_GAIN * 1_000 / turn) {
                levers.put(lever, rate);
            }
        });
        return new Forecast(table.name(), 1_000 / turn, table.firstWaits(), levers);
    }

    String text() {
        String gains = levers.entrySet().stream()
                .map(each -> each.getKey() + " about " + Figures.number(each.getValue()) + "/s")
                .collect(Collectors.joining(", "));
        return "The hottest row of " + table + " does about " + Figures.number(perSecond) + "/s"
                + (gains.isEmpty() ? "" : "; " + gains) + " (rough estimates from " + sightings
                + " sightings; compare measures them).";
    }
}
