/**
 * Taking the locks of a call. {@code LockCall} is the door and the loop, also for what has the COMMIT as the last part
 * of its flush; a {@code LockFlush} is one round trip and its outcome.
 */
@NullMarked
package org.rowlock.internal.acquire;

import org.jspecify.annotations.NullMarked;
