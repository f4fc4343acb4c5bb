package org.rowlock;

import org.junit.jupiter.api.Nested;

/** The contract with {@link LockStrategy#ADVISORY}. */
class AdvisoryContractTest {
    @Nested
    class WhoBlocksWhom extends ConflictContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }

    @Nested
    class Waits extends WaitContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }

    @Nested
    class Release extends ReleaseContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }

    @Nested
    class Failures extends FailureContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }

    @Nested
    class ManyKeys extends ManyKeysContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }

    @Nested
    class SeveralModes extends SeveralModesContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }

    @Nested
    class Queries extends QueryContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }

    @Nested
    class Claims extends ClaimContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }

    @Nested
    class IdTypes extends IdTypesContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }

    @Nested
    class RoundTrips extends RoundTripContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }

    @Nested
    class Inserts extends InsertContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.ADVISORY;
        }
    }
}
