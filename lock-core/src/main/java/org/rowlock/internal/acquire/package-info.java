/**
 * Acquires the locks of a call. Start at {@code LockCall}. {@code LockFlush} is one round trip and its outcome, and has
 * the loop that sends flushes until an outcome is final. {@code ClaimRunner} claims rows.
 *
 * <p>A <em>front lock</em> is an advisory lock that is acquired before a row lock, in the same flush; see {@link
 * org.rowlock.RowLocksBuilder.LockFront}.
 */
@NullMarked
package org.rowlock.internal.acquire;

import org.jspecify.annotations.NullMarked;
