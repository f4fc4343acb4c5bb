/**
 * The tables of Hibernate, and the data that sessions of Hibernate and MyBatis read before a lock. Only these classes,
 * and one of the package {@code call}, know JPA. Applications must not use this package: its types are public for the
 * sibling packages alone, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.jpa;

import org.jspecify.annotations.NullMarked;
