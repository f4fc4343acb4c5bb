/**
 * Taking the locks of a call. {@code LockCalls} is the door; one {@code Attempt} sends the flush, or hands the locks
 * over from the session, and gives an outcome. {@code LockAndCommit} has the COMMIT as the last part of that flush.
 */
@NullMarked
package org.rowlock.internal.acquire;

import org.jspecify.annotations.NullMarked;
