/**
 * Detects and rejects writers that do not lock through Rowlock, by triggers of the database. Start at {@link
 * org.rowlock.guard.RowLockGuard}. The SQL is in the files {@code keys.sql}, {@code guard.sql} and {@code audit.sql}
 * beside it.
 */
@NullMarked
package org.rowlock.guard;

import org.jspecify.annotations.NullMarked;
