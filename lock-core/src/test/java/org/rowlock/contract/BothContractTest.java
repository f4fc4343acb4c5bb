package org.rowlock.contract;

import org.junit.jupiter.api.Tag;
import org.rowlock.LockStrategy;

/** The contract with {@link LockStrategy#BOTH}. */
@Tag("long")
class BothContractTest extends StrategyContracts {
    BothContractTest() {
        super(LockStrategy.BOTH);
    }
}
