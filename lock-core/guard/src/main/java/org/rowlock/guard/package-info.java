/**
 * Detects and rejects writers that do not lock through Rowlock, by triggers in the database. Start at {@link
 * org.rowlock.guard.RowLockGuard}. The files {@code keys.sql}, {@code guard.sql} and {@code audit.sql} in this package
 * contain the SQL.
 */
@NullMarked
package org.rowlock.guard;

import org.jspecify.annotations.NullMarked;
