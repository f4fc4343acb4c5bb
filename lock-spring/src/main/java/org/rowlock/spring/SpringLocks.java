package org.rowlock.spring;

import io.micrometer.observation.ObservationRegistry;
import org.rowlock.RowLocks;

/**
 * The configuration of the application, as the bean that every {@link RowLock} uses. Inject it if there may be no bean
 * of type {@link RowLocks}, and the defaults apply. Immutable and thread-safe.
 *
 * @param locks the locks, with their strategies and admission queues
 * @param settings the settings of the whole application
 * @param observations the registry that observes locks, see {@link LockObservationContext}
 */
public record SpringLocks(RowLocks locks, RowLockSettings settings, ObservationRegistry observations) {}
