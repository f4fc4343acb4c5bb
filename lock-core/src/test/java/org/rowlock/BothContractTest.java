package org.rowlock;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract with {@link LockStrategy#BOTH}. */
@Tag("long")
class BothContractTest {
    @Nested
    class WhoBlocksWhom extends ConflictContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }

    @Nested
    class Waits extends WaitContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }

    @Nested
    class Release extends ReleaseContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }

    @Nested
    class Failures extends FailureContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }

    @Nested
    class ManyKeys extends ManyKeysContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }

    @Nested
    class SeveralModes extends SeveralModesContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }

    @Nested
    class Queries extends QueryContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }

    @Nested
    class Claims extends ClaimContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }

    @Nested
    class IdTypes extends IdTypesContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }

    @Nested
    class RoundTrips extends RoundTripContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }

    @Nested
    class Inserts extends InsertContract {
        @Override
        LockStrategy strategy() {
            return LockStrategy.BOTH;
        }
    }
}
