package org.rowlock.contract;

import org.junit.jupiter.api.Nested;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocksBuilder.LockFront;

/** All contracts of a strategy. */
abstract class StrategyContracts extends FirstLockContracts {
    StrategyContracts(LockStrategy strategy) {
        super(strategy, LockFront.ADAPTIVE);
    }

    @Nested
    class ManyKeys extends ManyKeysContract {
        ManyKeys() {
            super(StrategyContracts.this);
        }
    }

    @Nested
    class SeveralModes extends SeveralModesContract {
        SeveralModes() {
            super(StrategyContracts.this);
        }
    }

    @Nested
    class Claims extends ClaimContract {
        Claims() {
            super(StrategyContracts.this);
        }
    }

    @Nested
    class IdTypes extends IdTypesContract {
        IdTypes() {
            super(StrategyContracts.this);
        }
    }

    @Nested
    class Inserts extends InsertContract {
        Inserts() {
            super(StrategyContracts.this);
        }
    }
}
