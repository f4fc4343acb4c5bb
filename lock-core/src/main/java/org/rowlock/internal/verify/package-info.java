/** Verifies that locks exclude on the path that calls take to the server. */
@NullMarked
package org.rowlock.internal.verify;

import org.jspecify.annotations.NullMarked;
