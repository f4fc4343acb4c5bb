/**
 * Micrometer: observations, timers and counters of locks. Spring Boot makes the beans by itself; else make one of
 * {@link org.rowlock.spring.metrics.LockMetrics} or, without meters,
 * {@link org.rowlock.spring.metrics.LockObservations}.
 */
@NullMarked
package org.rowlock.spring.metrics;

import org.jspecify.annotations.NullMarked;
