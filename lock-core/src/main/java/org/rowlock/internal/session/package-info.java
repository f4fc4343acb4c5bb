/**
 * One connection: what the driver knows of it, sending a flush to it ({@code FlushRunner}), what is known of its
 * tables, and what its errors mean. Every error about a lock becomes an exception in {@code LockErrors}, with the words
 * of {@code TargetErrors} where it is about a table or an id; what an error is about is asked of {@code ServerErrors}.
 */
@NullMarked
package org.rowlock.internal.session;

import org.jspecify.annotations.NullMarked;
