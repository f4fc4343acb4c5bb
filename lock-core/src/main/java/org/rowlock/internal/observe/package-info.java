/** Notifies the listeners and the flight recorder. */
@NullMarked
package org.rowlock.internal.observe;

import org.jspecify.annotations.NullMarked;
