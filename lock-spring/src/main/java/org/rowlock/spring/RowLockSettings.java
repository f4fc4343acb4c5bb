package org.rowlock.spring;

import org.jspecify.annotations.Nullable;
import org.rowlock.LockWait;

/**
 * What holds for the whole application; make a bean of it to change the defaults. With Spring Boot the properties
 * {@code rowlock.*} do that.
 *
 * @param defaultWait how long to wait where nothing is said. Default {@link LockWait#forever()}, within the timeout of
 *     the transaction
 * @param admission whether calls queue in the JVM before a connection is borrowed. Default true
 * @param verify whether to prove at startup that advisory locks exclude, and that the tables exist. Default true
 * @param missingGuard what happens, where that is verified, to a table of strategy ADVISORY without a guard. Default
 *     {@link Reaction#WARN}
 * @param admissionTimeout the longest that a call queues in the JVM, whatever its wait; null, the default, for the
 *     connection timeout of the pool: 30 seconds where that is not HikariCP
 * @param lockEntities whether the lock of a row of an entity is JPA's own, which reads the entity in the same round
 *     trip, where Hibernate's statement locks as Rowlock's would. Default true
 */
public record RowLockSettings(
        LockWait defaultWait,
        boolean admission,
        boolean verify,
        Reaction missingGuard,
        @Nullable LockWait admissionTimeout,
        boolean lockEntities) {

    /** {@return the defaults: wait forever, admission, verify, warn of a missing guard} */
    public static RowLockSettings defaults() {
        return new RowLockSettings(LockWait.forever(), true, true, Reaction.WARN, null, true);
    }
}
