package org.rowlock.spring;

import io.micrometer.observation.ObservationRegistry;
import org.rowlock.RowLocks;

/**
 * The configuration of the application, in the bean that every {@link RowLock} uses. Inject this type rather than
 * {@link RowLocks} if the application may not define a bean of type {@code RowLocks}. The defaults then apply.
 * Immutable and thread-safe.
 *
 * @param locks the locks, with their strategies and admission queues
 * @param settings the settings of the whole application
 * @param observations the registry that observes locks, see {@link LockObservationContext}
 */
public record SpringLocks(RowLocks locks, RowLockSettings settings, ObservationRegistry observations) {}
