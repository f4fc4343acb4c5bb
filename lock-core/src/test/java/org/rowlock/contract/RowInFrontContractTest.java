package org.rowlock.contract;

import org.junit.jupiter.api.Tag;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocksBuilder.LockFront;

/** The contract with {@link LockStrategy#ROW} and an advisory key in front of every first lock. */
@Tag("long")
class RowInFrontContractTest extends FirstLockContracts {
    RowInFrontContractTest() {
        super(LockStrategy.ROW, LockFront.ALWAYS);
    }
}
