/**
 * Whose turn it is: what a connection may hold, and whether a statement is to wait before it goes to the server. Start
 * at {@link org.rowlock.jdbc.internal.queue.Turns}.
 */
@NullMarked
package org.rowlock.jdbc.internal.queue;

import org.jspecify.annotations.NullMarked;
