package org.rowlock.contract;

import org.junit.jupiter.api.Nested;
import org.rowlock.LockStrategy;

/** The contract with {@link LockStrategy#ADVISORY}. */
class AdvisoryContractTest {
    private interface Locking extends ContractLocking {
        @Override
        default LockStrategy strategy() {
            return LockStrategy.ADVISORY;
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
    class ManyKeys extends ManyKeysContract implements Locking {}

    @Nested
    class SeveralModes extends SeveralModesContract implements Locking {}

    @Nested
    class Queries extends QueryContract implements Locking {}

    @Nested
    class Claims extends ClaimContract implements Locking {}

    @Nested
    class IdTypes extends IdTypesContract implements Locking {}

    @Nested
    class RoundTrips extends RoundTripContract implements Locking {}

    @Nested
    class Inserts extends InsertContract implements Locking {}
}
