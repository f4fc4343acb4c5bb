/**
 * The libraries that a Spring application reads and writes with: each must find {@code @RowLock} on its own connection.
 * Start with {@link org.rowlock.spring.libraries.LibraryContract}.
 */
package org.rowlock.spring.libraries;
