package org.rowlock.spring;

import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.springframework.context.annotation.Bean;

/** Locks that a test can count as advisory locks, with queues that admit one call at a time. */
public class CountableLocks {
    /** Replaces the bean that {@code @EnableRowLocks} would create with the defaults. */
    @Bean
    public RowLocks rowLocks() {
        return LockAccess.builder()
                .strategy(LockStrategy.BOTH)
                .maxAdmittedPerKey(1)
                .build();
    }
}
