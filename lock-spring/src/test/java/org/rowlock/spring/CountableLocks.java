package org.rowlock.spring;

import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.springframework.context.annotation.Bean;

/** Locks that a test can count, by their advisory lock, and queues that let in one at a time. */
public class CountableLocks {
    /** What {@code @EnableRowLocks} would make with other defaults. */
    @Bean
    public RowLocks rowLocks() {
        return LockAccess.builder()
                .strategy(LockStrategy.BOTH)
                .maxAdmittedPerKey(1)
                .build();
    }
}
