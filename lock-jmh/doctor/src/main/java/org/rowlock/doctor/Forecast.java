package org.rowlock.doctor;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Wait.Doing;

/**
 * An estimate of how many transactions a second the hottest row of a table can have at most, now and with each lever.
 * A turn is the time from one transaction's lock on the row to the next transaction's lock. The first session in line
 * waits for a whole turn, and at a random moment it has waited for a part of the turn. The states of the holder at such
 * moments are the parts of the turn. A lever removes one part. The estimate does not know whether the lever lengthens
 * another part.
 *
 * @param table the table
 * @param perSecond the present rate
 * @param sightings how often the first in line was seen; each estimate rests on that
 * @param levers the rate with each lever that gains something, by its name
 */
record Forecast(String table, double perSecond, int sightings, Map<String, Double> levers) {
    /**
     * The factor from the median observed wait of the first session in line to the length of a turn. The factor is 2 if
     * all turns are equally long, and 1.4 if their lengths are distributed exponentially.
     */
    private static final double TURN = 1.7;

    /** The number of transactions that one group takes at most by default. */
    private static final double LARGEST_GROUP = 64;

    /**
     * The shortest turn that can be estimated. The views of the server are read one after another, which exaggerates
     * shorter waits. Of ten loads, the two with turns of less than a millisecond were estimated at five times that.
     */
    private static final double LEAST_TURN_MILLIS = 6;

    /** The smallest gain that is reported. The estimate is too inexact for smaller gains. */
    private static final double LEAST_GAIN = 1.1;

    /** Returns the estimate; null if the row was seen too seldom, or if other things than the turn hold it. */
    static @Nullable Forecast of(Table table) {
        double idleShare = table.share(Table.Of.HOLDER, Doing.IDLE_IN_TRANSACTION);
        double runShare = table.share(Table.Of.HOLDER, Doing.RUNNING);
        double commitShare = table.share(Table.Of.HOLDER, Doing.COMMITTING);
        double wakeShare = table.noneYetShare();
        double turn = TURN * table.firstWaitMillis();
        if (table.firstWaits() < Threshold.SIGHTINGS
                || turn < LEAST_TURN_MILLIS
                || idleShare + runShare + commitShare + wakeShare < 1 - Threshold.HURT_SHARE) {
            return null;
        }
        double idle = idleShare * turn;
        double group = Math.min(LARGEST_GROUP, table.contenders());
        double shared = group * runShare * turn + (commitShare + wakeShare) * turn;
        Map<String, Double> possible = new LinkedHashMap<>();
        possible.put("with 2 round trips", 1_000 / (turn - idle + Math.min(idle, TURN * table.idleMillis())));
        possible.put("with all in one round trip", 1_000 / Math.max(1e-3, turn - idle));
        possible.put("with early release", 1_000 / Math.max(1e-3, (1 - commitShare) * turn));
        possible.put("with a queue", 1_000 / Math.max(1e-3, (1 - wakeShare) * turn));
        possible.put("with groups in one JVM", group * 1_000 / Math.max(1e-3, shared));
        Map<String, Double> levers = new LinkedHashMap<>();
        possible.forEach((lever, rate) -> {
            if (rate >= LEAST_GAIN * 1_000 / turn) {
                levers.put(lever, rate);
            }
        });
        return new Forecast(table.name(), 1_000 / turn, table.firstWaits(), levers);
    }

    /** Describes the forecast in a sentence. */
    String text() {
        String gains = levers.entrySet().stream()
                .map(each -> ", " + each.getKey() + " " + Figures.number(each.getValue()) + "/s")
                .collect(Collectors.joining());
        return "The hottest row of " + table + " does about " + Figures.number(perSecond) + "/s"
                + (gains.isEmpty() ? "" : "; at most" + gains.substring(1)) + " (a rough estimate from " + sightings
                + " sightings; compare measures it).";
    }
}
