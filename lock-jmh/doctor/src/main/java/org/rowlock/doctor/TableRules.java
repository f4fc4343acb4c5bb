package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.Table.Of;
import org.rowlock.doctor.Wait.Doing;

/** The rules about waits for the rows of one table. */
record TableRules(Rules rules, Seen seen, Table table) {
    /** Advises on the waits for this table. Each rule has its condition, its statement and its gain. */
    void advise() {
        double behindHanging = seen.blockers().stream()
                .filter(Blocker::isHanging)
                .mapToDouble(each -> table.share(Of.HOLDER_SESSION, each.holder()))
                .sum();
        if (table.waiting() * (1 - behindHanging) < FELT_SESSIONS) {
            // Nearly all of these waits are for hanging sessions, about which there is separate advice.
            return;
        }
        Doing doing = table.doing();
        boolean isIdle = doing == Doing.IDLE_IN_TRANSACTION;
        boolean isWork = table.pauseMillis() >= Math.max(WORK_MILLIS, 3 * seen.roundTripMillis());
        boolean isCommitting = doing == Doing.COMMITTING;
        boolean isFar = table.share(Of.HOLDER_EVENT, Wait.STANDBY) >= MOST;
        boolean isPrepared = doing == Doing.PREPARED;
        boolean isWaiting = doing == Doing.WAITING_FOR_A_LOCK_ITSELF;
        boolean isRunning = !isIdle && !isCommitting && !isPrepared && !isWaiting;
        boolean isLong = table.firstWaitMillis() >= LONG_HOLD_MILLIS;
        boolean isStarving = starvesForeignKeys(table);
        boolean isConvoy = !isStarving && table.isConvoy();
        boolean isOfWrites = table.share(Of.CAUSE, StatementKind.WRITE) >= MOST;

        String wanting = table.most(Of.STATEMENT);
        String holding = table.most(Of.HOLDER_STATEMENT);
        // The statement that locked is the one to change, whether its session was seen waiting or holding.
        String locking = wanting != null ? wanting : holding;
        boolean isWrite = StatementKind.of(holding) == StatementKind.WRITE;
        boolean isAnyRow = StatementKind.takesFirst(wanting);
        boolean isChanged = seen.used().stream()
                .anyMatch(each -> each.updates() > 0 && each.table().equals(table.name()));
        boolean isInVain = !isAnyRow && StatementKind.locksAll(wanting) && !isChanged;

        double cause = CAUSE * table.waiting();
        // A shorter hold can gain the share of the waits in which the holder was doing what the advice shortens. In
        // that case a queue can gain only the share without a holder; otherwise it can gain all waits.
        double gain = table.waiting() * (isWaiting ? NOISE : table.doingShare());
        boolean isLever = isIdle || isCommitting || isPrepared || (isRunning && isLong);
        double queued = table.waiting() * (isLever ? table.noneYetShare() : 1);
        advise("no-key-update", isStarving, forUpdate(), cause);
        advise("lock-less.any-row", isAnyRow, wanting, cause);
        advise("lock-less.join", isInVain, wanting, cause);
        advise("shorter-transaction", isIdle && isWork, locking, gain);
        advise("fewer-round-trips", isIdle && !isWork, locking, gain);
        advise("faster-standby", isCommitting && isFar, locking, gain);
        advise("faster-commit", isCommitting && !isFar, locking, gain);
        advise("prepared", isPrepared, locking, gain);
        advise("next-lock", isWaiting, holding, gain);
        advise("shorter-statements.write", isRunning && isLong && isWrite, holding, gain);
        advise("shorter-statements.any", isRunning && isLong && !isWrite, holding, gain);
        advise("admission", isConvoy && isLong, wanting, queued);
        advise("convoy-of-writes", isConvoy && !isLong && isOfWrites, wanting, queued);
        advise("convoy", isConvoy && !isLong && !isOfWrites, wanting, queued);
        advise("stay", !isStarving && !isConvoy && !isLong && isRunning, wanting, 0);
    }

    private void advise(String form, boolean isSo, @Nullable String statement, double gain) {
        if (isSo) {
            rules.advise(form, table.name(), statement, gain, table);
        }
    }

    /**
     * Whether checks of foreign keys cause a noticeable share of the waits. Without such waits, a weaker mode gains
     * nothing over FOR UPDATE: its measured throughput was 1.0 times that of FOR UPDATE.
     */
    static boolean starvesForeignKeys(Table table) {
        return table.foreignKeyShare() >= FELT_SHARE;
    }

    /**
     * Returns a statement with FOR UPDATE, from the statements that wait or hold if possible, otherwise from all
     * statements that lock the table's rows. If there is none, returns the statement that waits most often.
     */
    private @Nullable String forUpdate() {
        Stream<String> others =
                seen.locking().stream().filter(each -> each.locks(table.name())).map(LockingStatement::query);
        return Stream.concat(table.statements(), others)
                .filter(sql -> StatementKind.clause(sql).equals(Optional.of(RowLockMode.FOR_UPDATE)))
                .findFirst()
                .orElse(table.most(Of.STATEMENT));
    }
}
