/**
 * The access of Rowlock's other modules to row locks, which users do not need. Start at
 * {@link org.rowlock.internal.access.LockAccess}.
 */
@NullMarked
package org.rowlock.internal.access;

import org.jspecify.annotations.NullMarked;
