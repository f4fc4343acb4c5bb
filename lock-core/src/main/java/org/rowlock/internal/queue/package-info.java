/**
 * The queues in which threads of this JVM wait for a key before they wait at the server. Start at {@code KeyQueue}. The
 * classes of this package use no connection.
 *
 * <p>There are two kinds of queues. A call enters an <em>admission queue</em> before it borrows a connection, and
 * leaves the queue when its transaction has ended. A transaction enters a <em>{@code ROW} queue</em> after it has
 * borrowed its connection, and waits only if it holds no row lock. The transaction leaves the {@code ROW} queue when
 * the server has answered the lock statement, because Rowlock does not always notice the commit.
 *
 * <p>A <em>front lock</em> is an advisory lock that is acquired before a row lock, in the same round trip; see {@link
 * org.rowlock.RowLocksBuilder.LockFront}.
 */
@NullMarked
package org.rowlock.internal.queue;

import org.jspecify.annotations.NullMarked;
