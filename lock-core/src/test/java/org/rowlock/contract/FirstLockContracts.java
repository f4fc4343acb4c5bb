package org.rowlock.contract;

import org.junit.jupiter.api.Nested;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.access.LockAccess;

/** The contracts that also hold for a strategy with an advisory key in front of every first lock. */
abstract class FirstLockContracts {
    final LockStrategy strategy;
    final RowLocks locks;

    FirstLockContracts(LockStrategy strategy, LockFront front) {
        this.strategy = strategy;
        this.locks = LockAccess.builder().strategy(strategy).front(front).build();
    }

    @Nested
    class WhoBlocksWhom extends ConflictContract {
        WhoBlocksWhom() {
            super(FirstLockContracts.this);
        }
    }

    @Nested
    class Waits extends WaitContract {
        Waits() {
            super(FirstLockContracts.this);
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(FirstLockContracts.this);
        }
    }

    @Nested
    class Failures extends FailureContract {
        Failures() {
            super(FirstLockContracts.this);
        }
    }

    @Nested
    class Queries extends QueryContract {
        Queries() {
            super(FirstLockContracts.this);
        }
    }

    @Nested
    class RoundTrips extends RoundTripContract {
        RoundTrips() {
            super(FirstLockContracts.this);
        }
    }
}
