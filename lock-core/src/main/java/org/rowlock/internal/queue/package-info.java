/**
 * The queues in which threads of this JVM wait for a key before they wait at the server. They do not use connections.
 */
@NullMarked
package org.rowlock.internal.queue;

import org.jspecify.annotations.NullMarked;
