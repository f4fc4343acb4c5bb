/**
 * Advisory locks as a drop-in replacement for {@code SELECT ... FOR UPDATE}.
 *
 * <p>Start at {@link org.rowlock.RowLocks}: {@code RowLocks.of(dataSource)} is made once, {@code locks.lock(request)}
 * runs a whole transaction under locks, and {@code locks.in(connection)} gives the locks of the caller's transaction.
 * Every call takes a {@link org.rowlock.LockRequest}: a {@link org.rowlock.LockKey} or several, a {@link
 * org.rowlock.RowLockMode}, a {@link org.rowlock.LockWait}. Which of PostgreSQL's locks are taken is configuration, a
 * {@link org.rowlock.LockStrategy}. Every failure is a {@link org.rowlock.RowlockException}. An argument that is null
 * where none may be, or that a method does not take, is an {@link IllegalArgumentException}. {@link
 * org.rowlock.LockInspector} shows holders and waiters.
 */
@NullMarked
package org.rowlock;

import org.jspecify.annotations.NullMarked;
