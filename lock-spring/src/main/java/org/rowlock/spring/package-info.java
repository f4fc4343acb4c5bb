/**
 * Row locks in Spring's transactions. Start with {@link org.rowlock.spring.RowLock} on a service method, or with
 * {@link org.rowlock.spring.RowLockTemplate} in code. Spring Boot configures everything. Without Spring Boot, add
 * {@link org.rowlock.spring.EnableRowLocks}.
 */
@NullMarked
package org.rowlock.spring;

import org.jspecify.annotations.NullMarked;
