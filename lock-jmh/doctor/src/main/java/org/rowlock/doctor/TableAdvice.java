package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.RowWait.Cause;
import org.rowlock.doctor.RowWait.HolderState;

/** What to do about the row locks of one table. */
final class TableAdvice {
    private final Samples samples;
    private final TableWaits table;

    private TableAdvice(Samples samples, TableWaits table) {
        this.samples = samples;
        this.table = table;
    }

    static List<Advice> of(Samples samples, TableWaits table) {
        return new TableAdvice(samples, table).advice();
    }

    private List<Advice> advice() {
        List<Advice> advice = new ArrayList<>();
        boolean heldLong = table.firstInLineWait().compareTo(Thresholds.LONG_HOLD) >= 0;
        if (isHeldByTheApplication()) {
            advice.add(shorten());
        } else if (heldLong) {
            advice.add(findOut());
        }
        if (table.causes().share(Cause.FOREIGN_KEY) >= Thresholds.CAUSE_SHARE) {
            advice.add(weaken());
        }
        if (table.causes().share(Cause.FOREIGN_KEY) < 1 - Thresholds.CAUSE_SHARE) {
            if (table.contenders() < Thresholds.CONVOY) {
                advice.add(stay());
            } else if (heldLong) {
                advice.add(admission());
            } else {
                advice.add(both());
            }
        }
        return advice;
    }

    private boolean isHeldByTheApplication() {
        return table.holders().share(HolderState.IDLE_IN_TRANSACTION) >= Thresholds.IDLE_HOLDER_SHARE;
    }

    private Advice shorten() {

        return new Advice(
                table.table(),
                "Hold its row locks for less time.",
                "At " + Figures.percent(table.holders().share(HolderState.IDLE_IN_TRANSACTION))
                        + " of the looks the holder was idle in transaction"
                        + " (for " + Figures.duration(table.heldIdle()) + " on average)"
                        + ": the row stays locked while the application works or a message travels, and no strategy"
                        + " shortens that. Do slow work before the lock or after the commit, and send the lock and the"
                        + " first read in one trip (lockAndQuery).");
    }

    private Advice findOut() {
        return new Advice(
                table.table(),
                "Find out what its holders do, and hold its row locks for less time.",
                "The first in line had waited " + Figures.duration(table.firstInLineWait())
                        + " on average when looked at. Slow statements or other locks under the lock make everybody wait,"
                        + " and no strategy shortens that.");
    }

    private Advice weaken() {
        return new Advice(
                table.table(),
                "Lock it FOR NO KEY UPDATE in place of FOR UPDATE, unless the row is deleted or its key changes.",
                Figures.percent(table.causes().share(Cause.FOREIGN_KEY))
                        + " of those who wait for its rows only check a foreign key to it. Such a check waits for FOR UPDATE"
                        + " and passes FOR NO KEY UPDATE. That changes a word of SQL and needs no migration.");
    }

    private Advice stay() {
        return new Advice(
                table.table(),
                "Stay with row locks; an admission queue if the connection pool runs dry.",
                waits() + ", but only " + contenders() + ". Below about " + (int) Thresholds.CONVOY
                        + " an advisory lock in front costs more than it saves (measured 0.86x with 4 clients on zipfian keys).");
    }

    private Advice admission() {
        return new Advice(
                        table.table(),
                        "An admission queue per key (ROW with admission); no change of strategy.",
                        waits() + ", and " + contenders() + ". The first in line had waited "
                                + Figures.duration(table.firstInLineWait())
                                + " on average when looked at; beside a hold like this it does not matter how the row is handed"
                                + " over. With admission those who wait hold no connection"
                                + " and no snapshot, so that the rest of the service goes on.")
                .shownBy("pool", "instances");
    }

    private Advice both() {
        boolean writers = table.causes().share(Cause.WRITE) >= 0.5;
        return new Advice(
                        table.table(),
                        writers
                                ? "BOTH first: take the lock right before the UPDATE or DELETE, with an admission queue."
                                : "BOTH first, with an admission queue; ADVISORY once every writer locks through Rowlock.",
                        waits() + ", and " + contenders() + ". From about " + (int) Thresholds.CONVOY
                                + " on, an advisory lock in front ends the convoy and keeps every guarantee of the row lock"
                                + " (measured with 90 clients on zipfian keys: 1.8x, with ADVISORY alone 2.5x). Admission keeps those"
                                + " who wait from holding connections; with few application instances it is the larger part."
                                + limits())
                .shownBy("zipfian", "clients", "instances");
    }

    private String limits() {
        List<String> limits = new ArrayList<>();
        double writes = table.causes().share(Cause.WRITE);
        if (writes >= Thresholds.NOISE) {
            limits.add(Figures.percent(writes) + " of those who wait are plain writes");
        }
        double checks = table.causes().share(Cause.FOREIGN_KEY);
        if (checks >= Thresholds.NOISE) {
            limits.add(Figures.percent(checks) + " are foreign key checks");
        }
        double calls = table.causes().share(Cause.CALL);
        if (calls >= Thresholds.NOISE) {
            limits.add(Figures.percent(calls) + " are inside functions or procedures");
        }
        return limits.isEmpty()
                ? ""
                : " ADVISORY alone would let them pass: " + String.join(", ", limits)
                        + ". Stay with BOTH until they lock" + " through Rowlock too.";
    }

    private String waits() {
        return Figures.sessions(samples.rowWaits(table)) + " sessions wait for its rows on average ("
                + Figures.percent(samples.shareOfRowWaits(table)) + " of all row lock waits"
                + (samples.rowWaitShare().isPresent()
                        ? ", " + Figures.percent(Math.min(1, samples.rowWaits(table) / samples.busySessions()))
                                + " of the busy time"
                        : "")
                + ")";
    }

    private String contenders() {
        return Figures.sessions(table.contenders()) + " want one row at a time (" + table.mostContenders()
                + " at most)";
    }

    /** Whether sharers are among those who wait. */
    static boolean hasSharers(TableWaits table) {
        return table.modes().share(RowLockMode.FOR_SHARE) >= Thresholds.CAUSE_SHARE;
    }
}
