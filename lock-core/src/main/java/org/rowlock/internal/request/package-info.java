/** The request of one call: distinct keys with their modes, the wait, and the kind of lock that each key needs. */
@NullMarked
package org.rowlock.internal.request;

import org.jspecify.annotations.NullMarked;
