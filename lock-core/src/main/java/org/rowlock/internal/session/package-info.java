/**
 * One connection: the state that the driver has of it, its flushes ({@code FlushRunner}), its tables, and the meaning
 * of its errors. Every error about a lock becomes an exception in {@code LockErrors}. {@code TargetErrors} has the
 * messages about tables and ids. {@code ServerErrors} decides what an error is about.
 */
@NullMarked
package org.rowlock.internal.session;

import org.jspecify.annotations.NullMarked;
