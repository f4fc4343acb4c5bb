package org.rowlock.doctor;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.Wait.Cause;
import org.rowlock.doctor.Wait.Doing;

/**
 * The waits for rows of one table while the doctor looked. Shares are of 1, the largest first.
 *
 * @param name the table's, of a partition its root's
 * @param waiting sessions that wait for its rows at a time
 * @param share of all waits for rows
 * @param contenders sessions that want the most wanted row at a time, its holder included, while somebody waits
 * @param mostContenders the most that were seen
 * @param longestWaitMillis the longest that was seen
 * @param firstWaitMillis how long the first in line had waited when it was looked at, half of them longer
 * @param idleMillis how long an idle or prepared holder had been so when it was looked at, half of them longer
 * @param causes why sessions wait
 * @param modes how they want the row, where that is known
 * @param statements that wait, where they may be seen
 * @param holders what the holders do while others wait for them
 * @param holderEvents the wait events of holders that run or commit, and the gids of prepared ones
 * @param holderStatements what holders run, or ran last
 * @param behind tables at which holders wait themselves
 * @param deadlocked sessions that were seen waiting in a circle, in all samples together
 * @param hotRows keys of the rows with the longest queue; empty unless asked for
 */
record Table(
        String name,
        double waiting,
        double share,
        double contenders,
        int mostContenders,
        double longestWaitMillis,
        double firstWaitMillis,
        double idleMillis,
        Map<Cause, Double> causes,
        Map<RowLockMode, Double> modes,
        Map<String, Double> statements,
        Map<Doing, Double> holders,
        Map<String, Double> holderEvents,
        Map<String, Double> holderStatements,
        Map<String, Double> behind,
        long deadlocked,
        Map<String, Double> hotRows) {

    double cause(Cause cause) {
        return causes.getOrDefault(cause, 0.0);
    }

    double holder(Doing doing) {
        return holders.getOrDefault(doing, 0.0);
    }

    /** What is held is what was locked: the locking statement, wherever it was seen. */
    @Nullable
    String locking() {
        return statement() != null ? statement() : holderStatement();
    }

    boolean isConvoy() {
        return contenders >= Threshold.CONVOY;
    }

    /** What holders are seen to do most, in words. */
    String held() {
        return "while others wait its holder is " + mostly().title + ' ' + Figures.percent(holder(mostly()))
                + " of the time";
    }

    /** How many wait, in words. */
    String waits() {
        return Figures.sessions(waiting) + " sessions wait for its rows, " + Figures.sessions(contenders)
                + " want one row at a time; it is changing hands " + Figures.percent(holder(Doing.CHANGING))
                + " of the time";
    }

    /** What holders are seen to do most. */
    Doing mostly() {
        return holders.keySet().stream().findFirst().orElse(Doing.HIDDEN);
    }

    /** How long a holder is idle at a time: at a random moment half of it is over. */
    double pauseMillis() {
        return 2 * idleMillis;
    }

    double standbyShare() {
        return holderEvents.getOrDefault(WaitEvents.STANDBY, 0.0);
    }

    /** The wait event that holders were seen in most. */
    String holderEvent() {
        return holderEvents.keySet().stream().findFirst().orElse(WaitEvents.RUNNING);
    }

    @Nullable
    String statement() {
        return statements.keySet().stream().findFirst().orElse(null);
    }

    @Nullable
    String holderStatement() {
        return holderStatements.keySet().stream().findFirst().orElse(null);
    }

    /** The statement that locks with FOR UPDATE, among those that wait and those that hold. */
    Optional<String> forUpdate() {
        return allStatements()
                .filter(sql -> StatementKind.clause(sql).equals(Optional.of(RowLockMode.FOR_UPDATE)))
                .findFirst();
    }

    /** Of those that wait, and of those that hold. */
    Stream<String> allStatements() {
        return Stream.of(statements, holderStatements).flatMap(each -> each.keySet().stream());
    }
}
