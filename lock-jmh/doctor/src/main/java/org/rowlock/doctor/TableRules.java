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
            // The advice about the session that they all wait for comes first, and explains them.
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
        // A lever pays its part of the time that a row is held, and the queue pays the time without a holder.
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
     * Whether checks of foreign keys were seen waiting. If none waits, a weaker mode than FOR UPDATE gains nothing:
     * measured, it had 1.0 times the throughput of FOR UPDATE.
     */
    static boolean starvesForeignKeys(Table table) {
        return table.foreignKeyShare() >= FELT_SHARE;
    }

    /**
     * Returns the statement that locks FOR UPDATE: first among those that wait and hold, then among all that lock the
     * table's rows.
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
