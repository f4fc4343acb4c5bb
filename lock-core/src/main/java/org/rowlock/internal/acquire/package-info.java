/**
 * The acquisition of the locks of a call. {@code LockCall} is the entry and the loop, with or without a COMMIT in the
 * flush. A {@code LockFlush} is one round trip and its outcome.
 */
@NullMarked
package org.rowlock.internal.acquire;

import org.jspecify.annotations.NullMarked;
