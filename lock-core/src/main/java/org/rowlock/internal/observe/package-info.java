/**
 * Notifies the listener and the flight recorder.
 */
@NullMarked
package org.rowlock.internal.observe;

import org.jspecify.annotations.NullMarked;
