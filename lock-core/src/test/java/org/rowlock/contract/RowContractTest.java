package org.rowlock.contract;

import org.rowlock.LockStrategy;

/** The contract with {@link LockStrategy#ROW}. */
class RowContractTest extends StrategyContracts {
    RowContractTest() {
        super(LockStrategy.ROW);
    }
}
