/**
 * Checks {@code @RowLock} with the data access libraries of Spring applications. The lock must be on the connection
 * that the library uses. Start with {@link org.rowlock.spring.libraries.LibraryContract}.
 */
package org.rowlock.spring.libraries;
