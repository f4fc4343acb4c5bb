/**
 * Support for the tests of applications that use {@link org.rowlock.spring.RowLock}. Start with
 * {@link org.rowlock.spring.test.RowLockAssertions#assertLocked(String, Object) assertLocked} in the service under test.
 */
@NullMarked
package org.rowlock.spring.test;

import org.jspecify.annotations.NullMarked;
