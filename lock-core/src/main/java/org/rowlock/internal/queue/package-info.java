/**
 * The queues in which threads of this JVM wait for a key before they wait at the server. Start at {@code KeyQueue}. The
 * classes of this package use no connection.
 *
 * <p>A <em>front lock</em> is an advisory lock that is acquired before a row lock, in the same round trip; see {@link
 * org.rowlock.RowLocksBuilder.LockFront}.
 */
@NullMarked
package org.rowlock.internal.queue;

import org.jspecify.annotations.NullMarked;
