/**
 * Taking the locks of a call. {@code LockCall} is the door, also for what has the COMMIT as the last part of its flush;
 * one {@code Attempt} sends the flush and gives an outcome.
 */
@NullMarked
package org.rowlock.internal.acquire;

import org.jspecify.annotations.NullMarked;
