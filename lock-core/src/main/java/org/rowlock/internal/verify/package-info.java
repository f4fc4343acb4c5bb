/**
 * Proving that locks exclude on the way that calls take to the server.
 */
@NullMarked
package org.rowlock.internal.verify;

import org.jspecify.annotations.NullMarked;
