package org.rowlock;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.rowlock.RowLocksBuilder.LockFront;

/** The contract with {@link LockStrategy#ROW} and an advisory key in front of every first lock. */
@Tag("long")
class RowInFrontContractTest {
    @Nested
    class WhoBlocksWhom extends ConflictContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ROW;
        }

        @Override
        LockFront front() {
            return LockFront.ALWAYS;
        }
    }

    @Nested
    class Waits extends WaitContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ROW;
        }

        @Override
        LockFront front() {
            return LockFront.ALWAYS;
        }
    }

    @Nested
    class Release extends ReleaseContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ROW;
        }

        @Override
        LockFront front() {
            return LockFront.ALWAYS;
        }
    }

    @Nested
    class Failures extends FailureContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ROW;
        }

        @Override
        LockFront front() {
            return LockFront.ALWAYS;
        }
    }

    @Nested
    class Queries extends QueryContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ROW;
        }

        @Override
        LockFront front() {
            return LockFront.ALWAYS;
        }
    }

    @Nested
    class RoundTrips extends RoundTripContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ROW;
        }

        @Override
        LockFront front() {
            return LockFront.ALWAYS;
        }
    }
}
