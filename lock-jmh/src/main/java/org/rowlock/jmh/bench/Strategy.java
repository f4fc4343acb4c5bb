package org.rowlock.jmh.bench;

import org.rowlock.LockStrategy;

/**
 * The ways in which a transaction excludes other transactions: Rowlock's strategies, and their hand-written
 * counterparts.
 */
public enum Strategy {
    /** Rowlock with {@link LockStrategy#ROW}: the real {@code SELECT ... FOR UPDATE}. */
    ROW,
    /** Rowlock with {@link LockStrategy#BOTH}: the advisory lock, and then the row lock. */
    BOTH,
    /** Rowlock with {@link LockStrategy#ADVISORY}: the advisory lock alone. */
    ADVISORY,
    /** By hand: {@code SELECT ... FOR UPDATE}, with {@code SKIP LOCKED} for claims. */
    FOR_UPDATE,
    /** By hand: an advisory lock in a separate statement, without checks. */
    NAIVE,
    /** By hand: an advisory lock and then, in the same flush, {@code SELECT ... FOR UPDATE}. */
    IN_FRONT,
    /** By hand: a version column instead of a lock, and a retry if another transaction changes the row first. */
    OPTIMISTIC,
    /** No lock at all. Tests use this fault to prove that the checks find it. */
    NONE;

    boolean isRowlock() {
        return this == ROW || this == BOTH || this == ADVISORY;
    }

    /** Whether each lock takes an entry of the server's lock table. */
    boolean isAdvisory() {
        return this == BOTH || this == ADVISORY || this == NAIVE || this == IN_FRONT;
    }

    LockStrategy lockStrategy() {
        return isRowlock() ? LockStrategy.valueOf(name()) : LockStrategy.BOTH;
    }
}
