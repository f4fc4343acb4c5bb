/**
 * Advisory locks as a drop-in replacement for {@code SELECT ... FOR UPDATE}.
 *
 * <p>Start at {@link org.rowlock.RowLocks}: {@code RowLocks.create().in(connection)} gives the locks of the caller's
 * transaction, {@link org.rowlock.RowLocks#inTransaction} runs a whole locked transaction. Every call takes a {@link
 * org.rowlock.LockRequest}: a {@link org.rowlock.LockKey} or several, a {@link org.rowlock.RowLockMode}, a {@link
 * org.rowlock.LockWait}. By which of PostgreSQL's locks is configuration, a {@link org.rowlock.LockStrategy}. Whatever
 * goes wrong is a {@link org.rowlock.RowlockException}; an argument that is null where none may be, or that a method
 * does not take, is an {@link IllegalArgumentException}. {@link org.rowlock.LockInspector} shows holders
 * and waiters.
 */
@NullMarked
package org.rowlock;

import org.jspecify.annotations.NullMarked;
