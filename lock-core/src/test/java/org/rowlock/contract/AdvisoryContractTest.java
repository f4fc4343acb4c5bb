package org.rowlock.contract;

import org.rowlock.LockStrategy;

/** The contract with {@link LockStrategy#ADVISORY}. */
class AdvisoryContractTest extends StrategyContracts {
    AdvisoryContractTest() {
        super(LockStrategy.ADVISORY);
    }
}
