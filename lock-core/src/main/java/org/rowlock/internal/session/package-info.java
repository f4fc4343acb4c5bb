/**
 * One connection: its state in the driver, its flushes ({@code FlushRunner}), the tables that it sees, and the meaning
 * of its errors. {@code LockErrors} turns every error about a lock into an exception. {@code TargetErrors} has the
 * messages about tables and ids. {@code ServerErrors} determines the subject of an error.
 */
@NullMarked
package org.rowlock.internal.session;

import org.jspecify.annotations.NullMarked;
