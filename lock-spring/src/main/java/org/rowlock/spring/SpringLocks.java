package org.rowlock.spring;

import io.micrometer.observation.ObservationRegistry;
import org.rowlock.RowLocks;

/**
 * The configuration of the application. Every {@link RowLock} uses the bean of this type. If a bean of type {@link
 * RowLocks} can be missing, inject this type instead. The defaults then apply. Immutable and thread-safe.
 *
 * @param locks the locks, with their strategies and admission queues
 * @param settings the settings of the whole application
 * @param observations the registry that observes locks, see {@link LockObservationContext}
 */
public record SpringLocks(RowLocks locks, RowLockSettings settings, ObservationRegistry observations) {}
