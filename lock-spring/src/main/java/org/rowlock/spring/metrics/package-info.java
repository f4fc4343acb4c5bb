/**
 * Timers and counters of locks, by Micrometer. Spring Boot creates the beans by itself; otherwise start with
 * {@link org.rowlock.spring.metrics.LockMetrics#observing LockMetrics}.
 * {@link org.rowlock.spring.LockObservationContext} describes the observations.
 */
@NullMarked
package org.rowlock.spring.metrics;

import org.jspecify.annotations.NullMarked;
