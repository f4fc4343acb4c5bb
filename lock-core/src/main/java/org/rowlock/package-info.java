/**
 * Locks rows with PostgreSQL's row locks, with advisory locks, or with both.
 *
 * <p>Start at {@link org.rowlock.RowLocks}. Create {@code RowLocks.of(dataSource)} once. {@code locks.lock(request)}
 * locks in a separate transaction, and {@code locks.in(connection)} in the caller's transaction.
 *
 * <p>A call that locks keys takes a {@link org.rowlock.LockRequest}: one or several {@link org.rowlock.LockKey}, the
 * {@link org.rowlock.RowLockMode} of each key, and a wait. The configured {@link org.rowlock.LockStrategy} decides
 * whether row locks, advisory locks or both are acquired. {@link org.rowlock.LockInspector} shows the sessions that
 * hold advisory locks or wait for them.
 *
 * <p>If a lock cannot be acquired, or the outcome of a commit is unknown, the exception is a {@link
 * org.rowlock.RowlockException}. An error of the caller's SQL, such as a deferred constraint that fails at the commit,
 * is the driver's {@link java.sql.SQLException}. An illegal argument causes an {@link IllegalArgumentException}.
 */
@NullMarked
package org.rowlock;

import org.jspecify.annotations.NullMarked;
