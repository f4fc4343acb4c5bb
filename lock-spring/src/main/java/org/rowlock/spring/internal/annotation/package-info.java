/**
 * Reads {@link org.rowlock.spring.RowLock}: start at {@code RowLockDefinitions}. A call of a method becomes a {@code
 * MethodLocks.Call}, which has keys and modes. Applications must not use this package: its types are public only for
 * the sibling packages, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.annotation;

import org.jspecify.annotations.NullMarked;
