/**
 * Decides whether a statement waits in the JVM before it goes to the server. Start at {@link
 * org.rowlock.jdbc.internal.queue.Turns}.
 */
@NullMarked
package org.rowlock.jdbc.internal.queue;

import org.jspecify.annotations.NullMarked;
