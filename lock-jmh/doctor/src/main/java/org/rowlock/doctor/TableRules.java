package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.Table.Of;
import org.rowlock.doctor.Wait.Doing;

record TableRules(Rules rules, Seen seen, Table table) {
    void advise() {
        double behindHanging = seen.blockers().stream()
                .filter(Blocker::isHanging)
                .mapToDouble(each -> table.share(Of.HOLDER_SESSION, each.holder()))
                .sum();
        boolean isFar = table.share(Of.HOLDER_EVENT, Wait.STANDBY) >= MOST;
        if (table.waiting() * (1 - behindHanging) < FELT_SESSIONS
                || (isFar && seen.server().isStandbyGone())) {
            // Too few sessions wait. Waits behind hanging sessions or a missing standby do not count, because other
            // advice covers them.
            return;
        }
        Doing doing = table.doing();
        boolean isIdle = doing == Doing.IDLE_IN_TRANSACTION;
        boolean isWork = table.pauseMillis() >= Math.max(WORK_MILLIS, 3 * seen.roundTripMillis());
        boolean isCommitting = doing == Doing.COMMITTING;
        boolean isPrepared = doing == Doing.PREPARED;
        boolean isWaiting = doing == Doing.WAITING_FOR_A_LOCK_ITSELF;
        boolean isRunning = !isIdle && !isCommitting && !isPrepared && !isWaiting;
        boolean isStarving = starvesForeignKeys(table);
        boolean isConvoy = !isStarving && table.isConvoy();
        boolean isOfWrites = table.share(Of.CAUSE, StatementKind.WRITE) >= MOST;

        String wanting = table.most(Of.STATEMENT);
        String holding = table.most(Of.HOLDER_STATEMENT);
        // The advice names the statement that locks the row. Waiting sessions run this statement. If the role cannot
        // see it, the holder's last statement is the best guess.
        String locking = isStarving ? forUpdate() : wanting != null ? wanting : holding;
        boolean isWrite = StatementKind.of(holding) == StatementKind.WRITE;
        // Waiting sessions do not slow down a query that locks nothing. Even a short wait shows that the query itself
        // is slow.
        boolean isQuery = isRunning && StatementKind.isQuery(holding);
        boolean isLong = table.firstWaitMillis() >= (isQuery ? WORK_MILLIS : LONG_HOLD_MILLIS);
        boolean isAnyRow = StatementKind.takesFirst(wanting);
        boolean isChanged = seen.used().stream()
                .anyMatch(each -> each.updates() > 0 && each.table().equals(table.name()));
        boolean isInVain = !isAnyRow && StatementKind.locksAll(wanting) && !isChanged;

        double cause = CAUSE * table.waiting();
        // If other advice shortens the holder's activity, a queue saves only the waits while no session holds the row.
        // Otherwise, a queue can save all waits. A queue that saves less than a tenth is not worth a change.
        double gain = table.waiting() * (isWaiting ? NOISE : table.doingShare());
        boolean isLever = isIdle || isCommitting || isPrepared || isWaiting || (isRunning && isLong);
        double queued = table.waiting() * (isLever ? table.noneYetShare() : 1);
        boolean isQueue = isConvoy && !isLong && queued >= HURT_SHARE * table.waiting();
        advise("no-key-update", isStarving, forUpdate(), cause);
        advise("lock-less.any-row", isAnyRow, wanting, cause);
        advise("lock-less.join", isInVain, wanting, cause);
        advise("shorter-transaction", isIdle && isWork, locking, gain);
        advise("fewer-round-trips", isIdle && !isWork, locking, gain);
        advise("faster-standby", isCommitting && isFar, locking, gain);
        advise("faster-commit", isCommitting && !isFar, locking, gain);
        advise("prepared", isPrepared, locking, gain);
        advise("next-lock", isWaiting && table.deadlocked() == 0, holding, gain);
        advise("shorter-statements.write", isRunning && isLong && isWrite, holding, gain);
        advise("shorter-statements.any", isRunning && isLong && !isWrite, holding, gain);
        advise("admission", isConvoy && isLong, wanting, queued);
        advise("convoy-of-writes", isQueue && isOfWrites, wanting, queued);
        advise("convoy", isQueue && !isOfWrites, wanting, queued);
        advise("stay", !isStarving && !isConvoy && !isLong && isRunning, wanting, 0);
    }

    private void advise(String form, boolean isSo, @Nullable String statement, double gain) {
        if (isSo) {
            rules.advise(form, table.name(), statement, gain, table);
        }
    }

    /**
     * Whether checks of foreign keys cause a noticeable share of the waits. In a benchmark without foreign keys, FOR NO
     * KEY UPDATE was no faster than FOR UPDATE.
     */
    static boolean starvesForeignKeys(Table table) {
        return table.foreignKeyShare() >= FELT_SHARE;
    }

    /**
     * Returns a statement with FOR UPDATE, preferably of a waiting session or a holder. If there is none, returns the
     * statement that waits most often.
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
