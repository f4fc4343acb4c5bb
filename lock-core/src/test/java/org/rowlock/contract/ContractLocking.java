package org.rowlock.contract;

import org.rowlock.LockStrategy;
import org.rowlock.RowLocksBuilder.LockFront;

/** How a {@code *ContractTest} locks. */
interface ContractLocking {
    LockStrategy strategy();

    /** What is in front of the first lock of a transaction; {@link RowInFrontContractTest} has it always. */
    default LockFront front() {
        return LockFront.ADAPTIVE;
    }
}
