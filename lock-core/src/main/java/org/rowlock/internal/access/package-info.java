/**
 * Gives Rowlock's other modules access to the core. Users do not need this package. Start at {@link
 * org.rowlock.internal.access.LockAccess}.
 */
@NullMarked
package org.rowlock.internal.access;

import org.jspecify.annotations.NullMarked;
