/**
 * Triggers in the database that record or reject writers that do not lock through Rowlock. Start at {@link
 * org.rowlock.guard.RowLockGuard}. The files {@code keys.sql}, {@code guard.sql} and {@code audit.sql} in this package
 * contain the SQL.
 */
@NullMarked
package org.rowlock.guard;

import org.jspecify.annotations.NullMarked;
