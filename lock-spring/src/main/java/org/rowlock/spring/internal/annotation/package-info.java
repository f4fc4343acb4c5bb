/**
 * Reading {@link org.rowlock.spring.RowLock}: start at {@code RowLockDefinitions}. A call of a method gives
 * {@code MethodLocks.Call}, which are keys and modes.
 * Not for applications: types are public here for the other rooms alone, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.annotation;

import org.jspecify.annotations.NullMarked;
