/** Adds network delay between clients and server by a proxy. Start at {@link Network}. */
@NullMarked
package org.rowlock.jmh.net;

import org.jspecify.annotations.NullMarked;
