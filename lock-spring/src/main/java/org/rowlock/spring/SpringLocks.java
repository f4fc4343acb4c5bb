package org.rowlock.spring;

import io.micrometer.observation.ObservationRegistry;
import org.rowlock.RowLocks;

/**
 * What the application configured, as the bean that every {@link RowLock} uses. Take it where there may be no bean of
 * type {@link RowLocks}, and so the defaults hold. Immutable and thread-safe.
 *
 * @param locks the locks, with their strategies and admission queues
 * @param settings what holds for the whole application
 * @param observations where locks are observed, see {@link LockObservationContext}
 */
public record SpringLocks(RowLocks locks, RowLockSettings settings, ObservationRegistry observations) {}
