/**
 * Advisory locks as a drop-in replacement for {@code SELECT ... FOR UPDATE}.
 *
 * <p>Start at {@link org.rowlock.RowLocks}: {@code RowLocks.create().in(connection)} gives the locks of the caller's
 * transaction, {@link org.rowlock.RowLocks#inTransaction} runs a whole locked transaction. What is locked is a
 * {@link org.rowlock.LockKey}, how strongly a {@link org.rowlock.RowLockMode}, how patiently a
 * {@link org.rowlock.LockWait}, and by which of PostgreSQL's locks a {@link org.rowlock.LockStrategy}. Whatever goes
 * wrong is a {@link org.rowlock.LockException}. {@link org.rowlock.LockInspector} shows holders and waiters.
 *
 * <p>Inside, in the packages under {@code internal}, data flows one way: key, mode, wait and strategy become a request, the
 * request a script (SQL text and the order of its parameters), which runs on the caller's connection, and its results or
 * its SQLSTATE become a {@link org.rowlock.LockResult} or an exception.
 */
@NullMarked
package org.rowlock;

import org.jspecify.annotations.NullMarked;
