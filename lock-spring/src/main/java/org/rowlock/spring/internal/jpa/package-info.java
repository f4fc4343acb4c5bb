/**
 * The tables of Hibernate, and the data that sessions of Hibernate and MyBatis read before a lock. Only these classes,
 * and one class of the package {@code call}, use JPA. Applications must not use this package: its types are public only
 * for the sibling packages, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.jpa;

import org.jspecify.annotations.NullMarked;
