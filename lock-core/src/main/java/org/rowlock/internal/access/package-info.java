/**
 * What Rowlock's other modules need of row locks and users do not. Start at {@link
 * org.rowlock.internal.access.LockAccess}.
 */
@NullMarked
package org.rowlock.internal.access;

import org.jspecify.annotations.NullMarked;
