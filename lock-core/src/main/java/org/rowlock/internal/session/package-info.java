/**
 * One connection: the driver's face, running a script, what is known of its tables, its commit, and what its errors
 * mean.
 */
@NullMarked
package org.rowlock.internal.session;

import org.jspecify.annotations.NullMarked;
