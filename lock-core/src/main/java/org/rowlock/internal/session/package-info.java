/**
 * One connection: the driver's state of it, its flushes ({@code FlushRunner}), its tables, and the meaning of its
 * errors. {@code LockErrors} turns every error about a lock into an exception. {@code TargetErrors} has the messages
 * about tables and ids. {@code ServerErrors} determines the subject of an error.
 */
@NullMarked
package org.rowlock.internal.session;

import org.jspecify.annotations.NullMarked;
