/**
 * Micrometer: timers and counters of locks. Spring Boot makes the beans by itself; else start with
 * {@link org.rowlock.spring.metrics.LockMetrics#observing LockMetrics}. What is observed is in
 * {@link org.rowlock.spring.LockObservationContext}.
 */
@NullMarked
package org.rowlock.spring.metrics;

import org.jspecify.annotations.NullMarked;
