package org.rowlock.spring;

import io.micrometer.observation.ObservationRegistry;
import org.rowlock.RowLocks;

/**
 * The configuration of the application. Every {@link RowLock} uses the bean of this type. If the application has
 * no bean of type {@link RowLocks}, this bean contains locks with the defaults. Immutable and thread-safe.
 *
 * @param locks the locks, with their strategies and admission queues
 * @param settings the settings of the whole application
 * @param observations the registry that observes locks, see {@link LockObservationContext}
 */
public record SpringLocks(RowLocks locks, RowLockSettings settings, ObservationRegistry observations) {}
