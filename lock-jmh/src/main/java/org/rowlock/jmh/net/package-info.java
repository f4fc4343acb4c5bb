/** A network between clients and server on one machine: a proxy that delays. Start at {@link Network}. */
@NullMarked
package org.rowlock.jmh.net;

import org.jspecify.annotations.NullMarked;
