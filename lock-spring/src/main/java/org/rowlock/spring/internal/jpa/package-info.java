/**
 * The tables of Hibernate, and what sessions of Hibernate and MyBatis have read before a lock. Only these classes, and
 * one of the room {@code call}, know JPA.
 * Not for applications: types are public here for the other rooms alone, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.jpa;

import org.jspecify.annotations.NullMarked;
