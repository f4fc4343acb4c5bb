package org.rowlock.jmh.bench;

import org.rowlock.LockStrategy;

/** How a transaction keeps others away: Rowlock's strategies, and what people write by hand in their place. */
public enum Strategy {
    /** Rowlock with {@link LockStrategy#ROW}: the real {@code SELECT ... FOR UPDATE}. */
    ROW,
    /** Rowlock with {@link LockStrategy#BOTH}: the advisory lock in front of the row lock. */
    BOTH,
    /** Rowlock with {@link LockStrategy#ADVISORY}: the advisory lock alone. */
    ADVISORY,
    /** By hand: {@code SELECT ... FOR UPDATE}; of claims {@code SKIP LOCKED}. */
    FOR_UPDATE,
    /**
     * By hand: an advisory lock in a statement of its own, nothing checked; of claims a try-lock in the WHERE clause.
     */
    NAIVE,
    /** By hand: an advisory lock and, in the same flush, {@code SELECT ... FOR UPDATE} behind it. */
    IN_FRONT,
    /** By hand: what Rowlock sends with {@link #ADVISORY}. */
    HAND_WRITTEN,
    /** By hand: an advisory lock on 64 bits of the md5 of table and id. */
    MD5,
    /** By hand: an advisory lock on the 32 bits of hashtext, in which different ids soon meet. */
    HASHTEXT,
    /** No lock: a version column, and another try where somebody was faster. */
    OPTIMISTIC,
    /** A read without a lock: a control to compare with, and no way to keep others away. */
    SELECT,
    /** One lock for all rows. Never compared; shows that the checks notice. */
    SAME,
    /** Nothing at all. Never compared; shows that the checks notice. */
    NONE;

    boolean isRowlock() {
        return this == ROW || this == BOTH || this == ADVISORY;
    }

    /** Whether each lock takes a place in the server's lock table. */
    boolean isAdvisory() {
        return this == BOTH || this == ADVISORY || this == NAIVE || this == IN_FRONT || this == HAND_WRITTEN;
    }

    LockStrategy lockStrategy() {
        return isRowlock() ? LockStrategy.valueOf(name()) : LockStrategy.BOTH;
    }
}
