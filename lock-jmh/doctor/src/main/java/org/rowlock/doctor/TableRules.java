package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import java.util.Optional;
import java.util.stream.Stream;
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
        lockedInVain(seen, table)
                .ifPresent(form -> rules.advise(
                        "lock-less." + form,
                        name,
                        CAUSE * table.waiting(),
                        table.statement(),
                        Figures.sessions(table.waiting())));
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
                    String form = StatementKind.of(statement) == StatementKind.WRITE ? "write" : "any";
                    rules.advise("shorter-statements." + form, name, gain, statement, first, held, table.holderEvent());
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

    /** Which lock nobody would miss: that of rows which nobody changes, or of the first row where any will do. */
    private static Optional<String> lockedInVain(Seen seen, Table table) {
        return Optional.ofNullable(table.statement()).map(sql -> {
            if (StatementKind.takesFirst(sql)) {
                return "any-row";
            }
            boolean isChanged = seen.used().stream()
                    .anyMatch(each -> each.updates() > 0 && each.table().equals(table.name()));
            return StatementKind.locksAll(sql) && !isChanged ? "join" : null;
        });
    }

    /** Whether its rows are shared, as they are before somebody who shares one writes it. */
    static boolean isShared(Seen seen, Table table) {
        return Stream.concat(
                        table.allStatements(),
                        seen.lockingStatements().stream()
                                .filter(each -> each.locks(table.name()))
                                .map(LockingStatement::sql))
                .anyMatch(sql ->
                        StatementKind.clause(sql).filter(RowLockMode::isShared).isPresent());
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
