/**
 * The queues in which threads of this JVM wait for a key before they wait at the server. The classes of this package
 * use no connection.
 */
@NullMarked
package org.rowlock.internal.queue;

import org.jspecify.annotations.NullMarked;
