/**
 * Reads {@link org.rowlock.spring.RowLock}: start at {@code RowLockDefinitions}. The class {@code MethodLocks.Call}
 * contains the keys and modes of one call of a method. Applications must not use this package: its types are public
 * only for the sibling packages, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.annotation;

import org.jspecify.annotations.NullMarked;
