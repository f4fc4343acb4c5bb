package org.rowlock.spring;

import org.rowlock.RowLocks;

/**
 * What the application configured, as the bean that every {@link RowLock} uses. Take it where there may be no bean of
 * type {@link RowLocks}, and so the defaults hold. Immutable and thread-safe.
 *
 * @param locks the locks, with their strategies and admission queues
 * @param settings what holds for the whole application
 * @param instrumentation is notified of every acquisition
 */
public record SpringLocks(RowLocks locks, RowLockSettings settings, LockInstrumentation instrumentation) {}
