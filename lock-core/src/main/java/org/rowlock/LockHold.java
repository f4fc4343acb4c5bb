package org.rowlock;

import java.time.Duration;
import java.util.List;

/**
 * A lock that was held, for {@link LockListener}. Reported if Rowlock sees the end of the transaction: by the ways of
 * {@link RowLocks#inTransaction}. How many statements were run meanwhile it does not know, as the work has the
 * connection.
 *
 * @param keys the distinct keys
 * @param mode how strongly; the strongest where each has a mode of its own
 * @param strategy by which locks; {@link LockStrategy#BOTH} for tables of several strategies
 * @param committed whether the transaction has committed
 * @param held from the server's answer to the lock until that to the commit or rollback
 */
public record LockHold(List<LockKey> keys, RowLockMode mode, LockStrategy strategy, boolean committed, Duration held) {}
