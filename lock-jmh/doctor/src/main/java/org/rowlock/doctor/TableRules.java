package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.Wait.Cause;
import org.rowlock.doctor.Wait.Doing;

/** The rules about waits for the rows of one table. */
final class TableRules {
    private TableRules() {}

    /** Advises what there is to do about its waits. */
    static void advise(Rules rules, Seen seen, Table table) {
        if (starvesForeignKeys(table)) {
            String share = Figures.percent(table.cause(Cause.FOREIGN_KEY));
            rules.advise("no-key-update", table.name(), CAUSE * table.waiting(), forUpdate(seen, table), share);
        }
        String name = table.name();
        double gain = table.waiting() * (table.mostly() == Doing.WAITING ? NOISE : 1);
        String held = table.held();
        String idle = Figures.millis(table.idleMillis());
        boolean isHeldLong = table.firstWaitMillis() >= LONG_HOLD_MILLIS;
        boolean isHeldOtherwise = true;
        switch (table.mostly()) {
            case IDLE -> {
                if (table.pauseMillis() >= Math.max(WORK_MILLIS, 3 * seen.roundTripMillis())) {
                    rules.advise("shorter-transaction", name, gain, table.locking(), held, idle);
                } else {
                    String trip = Figures.millis(seen.roundTripMillis());
                    rules.advise("fewer-round-trips", name, gain, table.locking(), held, idle, trip);
                }
            }
            case COMMITTING -> {
                String rule = table.standbyShare() >= MOST ? "faster-standby" : "faster-commit";
                rules.advise(rule, name, gain, table.locking(), held, table.holderEvent());
            }
            case PREPARED -> {
                String form = table.idleMillis() >= OLD_HORIZON_SECONDS * 1_000 ? "old" : "short";
                rules.advise("prepared." + form, name, gain, table.locking(), held, idle, table.holderEvent());
            }
            case WAITING -> {
                String next = Rules.first(table.behind());
                String rows = next == null ? "" : ", rows of " + next;
                rules.advise("next-lock", name, gain, table.holderStatement(), held, table.holderEvent(), rows);
            }
            case CHANGING, RUNNING, HIDDEN -> {
                isHeldOtherwise = false;
                if (isHeldLong) {
                    String first = Figures.millis(table.firstWaitMillis());
                    String statement = table.holderStatement();
                    rules.advise("shorter-statements", name, gain, statement, first, held, table.holderEvent());
                }
            }
        }
        if (starvesForeignKeys(table)) {
            return;
        }
        if (table.isConvoy()) {
            String rule = isHeldLong ? "admission" : table.cause(Cause.WRITE) < MOST ? "convoy" : "convoy-of-writes";
            rules.advise(rule, name, gain, table.statement(), table.waits());
        } else if (!isHeldLong && !isHeldOtherwise) {
            rules.advise("stay", name, 0, table.statement(), table.waits());
        }
    }

    /**
     * Checks of foreign keys are seen waiting. Where none waits, less than FOR UPDATE gains nothing (measured: 1.0x).
     */
    static boolean starvesForeignKeys(Table table) {
        return table.cause(Cause.FOREIGN_KEY) >= FELT_SHARE;
    }

    private static @Nullable String forUpdate(Seen seen, Table table) {
        return table.forUpdate()
                .or(() -> seen.lockingStatements().stream()
                        .filter(each -> each.mode() == RowLockMode.FOR_UPDATE && each.locks(table.name()))
                        .map(LockingStatement::sql)
                        .findFirst())
                .orElse(table.statement());
    }
}
