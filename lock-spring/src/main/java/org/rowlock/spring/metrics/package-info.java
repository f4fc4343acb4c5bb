/**
 * Timers and counters of locks for Micrometer. Spring Boot creates the beans. Without Spring Boot, start with
 * {@link org.rowlock.spring.metrics.LockMetrics#observing LockMetrics}.
 * {@link org.rowlock.spring.LockObservationContext} describes the observations.
 */
@NullMarked
package org.rowlock.spring.metrics;

import org.jspecify.annotations.NullMarked;
