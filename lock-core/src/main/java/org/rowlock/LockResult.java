package org.rowlock;

import java.util.List;

/**
 * The outcome of a call for locks: all keys are locked, another transaction holds a key, or a row is absent. Immutable.
 */
public final class LockResult {
    private final LockStrategy strategy;
    private final State state;
    private final List<LockKey> absentRows;

    LockResult(LockStrategy strategy, State state, List<LockKey> absentRows) {
        this.strategy = strategy;
        this.state = state;
        this.absentRows = absentRows;
    }

    /** The outcomes of a call for locks. */
    public enum State {
        /** All keys are locked. */
        HELD,
        /** Another transaction holds one of the keys, so no key was locked. Only {@code tryLock} returns this state. */
        TAKEN,
        /**
         * One of the rows does not exist. {@link LockStrategy#ROW} locked nothing for this row, as {@code FOR UPDATE}
         * does. The other keys are locked. Only requests with {@link LockRequest#allowAbsent} have this outcome.
         */
        ABSENT
    }

    /** {@return the outcome} */
    public State state() {
        return state;
    }

    /** {@return whether the outcome is {@link State#HELD}} */
    public boolean isHeld() {
        return state == State.HELD;
    }

    /**
     * {@return the keys whose rows Rowlock looked for and did not find} The list is always empty without {@link
     * LockRequest#allowAbsent}. The list never contains a name, a number, or a row whose strategy is {@link
     * LockStrategy#ADVISORY}, because Rowlock does not look for rows in these cases. With {@link LockStrategy#BOTH} the
     * state is {@link State#HELD} even if a row is absent, because the key of the absent row is locked.
     */
    public List<LockKey> absentRows() {
        return absentRows;
    }

    @Override
    public String toString() {
        return state + " by " + strategy + (absentRows.isEmpty() ? "" : ", absent: " + absentRows);
    }
}
