/**
 * Finds and refuses writers that do not lock through Rowlock, by triggers of the database. Start at
 * {@link org.rowlock.guard.RowLockGuard}. The SQL is in files beside it: {@code keys.sql}, {@code guard.sql},
 * {@code audit.sql}.
 */
@NullMarked
package org.rowlock.guard;

import org.jspecify.annotations.NullMarked;
