package org.rowlock.contract;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocksBuilder.LockFront;

/** The contract with {@link LockStrategy#ROW} and an advisory key in front of every first lock. */
@Tag("long")
class RowInFrontContractTest {
    private interface Locking extends ContractLocking {
        @Override
        default LockStrategy strategy() {
            return LockStrategy.ROW;
        }

        @Override
        default LockFront front() {
            return LockFront.ALWAYS;
        }
    }

    @Nested
    class WhoBlocksWhom extends ConflictContract implements Locking {}

    @Nested
    class Waits extends WaitContract implements Locking {}

    @Nested
    class Release extends ReleaseContract implements Locking {}

    @Nested
    class Failures extends FailureContract implements Locking {}

    @Nested
    class Queries extends QueryContract implements Locking {}

    @Nested
    class RoundTrips extends RoundTripContract implements Locking {}
}
