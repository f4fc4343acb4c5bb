/**
 * Meters of lock-jdbc for Micrometer. Spring Boot creates the bean.
 * {@link org.rowlock.spring.LockObservationContext} describes the meters of all other locks.
 */
@NullMarked
package org.rowlock.spring.metrics;

import org.jspecify.annotations.NullMarked;
