package org.rowlock.internal.queue;

/** The state of a {@link QueueEntry}. */
public enum EntryState {
    NEW,
    WAITING,
    /** The entry is admitted. Its transaction may send statements to the server. */
    IN,
    /** A leader has taken the entry; see {@link QueueGroup}. */
    TAKEN,
    SERVED,
    /** The wait has ended without admission: the wait timed out, or the thread was interrupted or woken. */
    OVER,
    FULL,
    LEFT
}
