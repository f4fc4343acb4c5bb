package org.rowlock.testing;

import org.rowlock.LockResult;
import org.rowlock.LockStrategy;

/** What a call on one key came to hold, in a word. */
public enum Held {
    KEY_LOCKED,
    ROW_LOCKED,
    KEY_AND_ROW_LOCKED,
    KEY_LOCKED_ROW_ABSENT,
    NOTHING_LOCKED_ROW_ABSENT,
    TAKEN;

    /** Of a result, which must not contradict itself. */
    public static Held of(Object given) {
        LockResult result = (LockResult) given;
        boolean isAbsent = !result.absentRows().isEmpty();
        if (result.state() == LockResult.State.TAKEN) {
            return agreed(!result.isHeld() && !isAbsent, TAKEN, result);
        }
        if (result.state() == LockResult.State.ABSENT) {
            return agreed(
                    !result.isHeld() && isAbsent && strategyOf(result) == LockStrategy.ROW,
                    NOTHING_LOCKED_ROW_ABSENT,
                    result);
        }
        if (isAbsent) {
            return agreed(result.isHeld() && strategyOf(result) == LockStrategy.BOTH, KEY_LOCKED_ROW_ABSENT, result);
        }
        return agreed(
                result.isHeld(),
                switch (strategyOf(result)) {
                    case ROW -> ROW_LOCKED;
                    case BOTH -> KEY_AND_ROW_LOCKED;
                    case ADVISORY -> KEY_LOCKED;
                },
                result);
    }

    /** The strategy, which only the text of a result says. */
    private static LockStrategy strategyOf(LockResult result) {
        return LockStrategy.valueOf(result.toString().split("[ ,]+", -1)[2]);
    }

    private static Held agreed(boolean agrees, Held held, LockResult result) {
        if (!agrees) {
            throw new AssertionError("The result contradicts itself: " + result);
        }
        return held;
    }
}
