package org.rowlock.examples.demo;

/**
 * What became of a {@link Transfer} that was committed.
 *
 * @param moved how much was there to move, at most the amount wished for
 * @param waitNanos from asking for the locks until inside: the admission queue where there is one, the pool, the server
 *     and the round trip
 */
record Receipt(long moved, long waitNanos) {}
