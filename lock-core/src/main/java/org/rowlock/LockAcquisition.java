package org.rowlock;

import java.time.Duration;
import java.util.List;

/**
 * One attempt to lock, for {@link LockListener}.
 *
 * @param keys the distinct keys asked for; for a claim, the keys of the rows that were returned (none with
 *     {@link LockStrategy#ROW}, which needs no keys for it)
 * @param mode how strongly; the strongest of a call that gives each key a mode of its own
 * @param strategy by which locks; {@link LockStrategy#BOTH} for a call on tables of several strategies
 * @param lockWait how long the caller would wait
 * @param outcome how it ended
 * @param took from the call until the lock was held or refused, round trips included; where a query runs behind the
 *     lock in the same round trip, with it
 */
public record LockAcquisition(
        List<LockKey> keys,
        RowLockMode mode,
        LockStrategy strategy,
        LockWait lockWait,
        Outcome outcome,
        Duration took) {
    /** How an attempt to lock ended, for {@link LockListener} and the JFR event. */
    public enum Outcome {
        /** The lock is held; or, with {@link LockStrategy#ROW}, there was no row to lock. */
        ACQUIRED,
        /** Another transaction held it, and the wait was none or ran out. */
        NOT_AVAILABLE,
        /** The server ended the wait to break a deadlock. */
        DEADLOCK,
        /** Anything else: refused, canceled, connection lost. */
        FAILED;
    }
}
