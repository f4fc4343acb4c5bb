package org.rowlock.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockWait;

/**
 * The settings of the whole application. To change a default, define a bean of this type that overrides its method.
 * With Spring Boot the properties {@code rowlock.*} do that. Implementations are immutable.
 */
public interface RowLockSettings {
    /** {@return the defaults} */
    static RowLockSettings defaults() {
        return new RowLockSettings() {};
    }

    /**
     * {@return the wait of calls that name none. Default {@link LockWait#forever()}, within the timeout of the
     * transaction}
     */
    default LockWait defaultWait() {
        return LockWait.forever();
    }

    /** {@return whether calls queue in the JVM before a connection is borrowed. Default true} */
    default boolean admission() {
        return true;
    }

    /**
     * {@return the longest time that a call queues in the JVM, whatever its wait. Default null, for the connection
     * timeout of the pool, or 30 seconds if the pool is not HikariCP}
     */
    default @Nullable LockWait admissionTimeout() {
        return null;
    }

    /**
     * {@return whether JPA itself locks the row of an entity, and reads the entity in the same round trip. It does so
     * only if Hibernate's statement locks as Rowlock's would. Default true}
     */
    default boolean lockEntities() {
        return true;
    }

    /** {@return whether to prove at startup that advisory locks exclude, and that the tables exist. Default true} */
    default boolean verify() {
        return true;
    }

    /** {@return how often to repeat that proof while the application runs; zero for never. Default 10 minutes} */
    default Duration verifyEvery() {
        return Duration.ofMinutes(10);
    }

    /**
     * {@return the reaction of the verification to a table with strategy ADVISORY and no guard. Default
     * {@link Reaction#WARN}}
     */
    default Reaction missingGuard() {
        return Reaction.WARN;
    }

    /**
     * {@return the reaction at startup to methods with {@link RowLock} of beans that were created before Rowlock could
     * proxy them. Default {@link Reaction#WARN}}
     */
    default Reaction unlockedMethods() {
        return Reaction.WARN;
    }

    /**
     * {@return the reaction to classes that call their own methods with {@link RowLock}, because such a call locks
     * nothing. Default {@link Reaction#WARN}}
     */
    default Reaction selfInvocation() {
        return Reaction.WARN;
    }

    /**
     * {@return the reaction at startup to another instance that runs ROW beside ADVISORY. Later such an instance is
     * logged. Default {@link Reaction#FAIL}}
     */
    default Reaction strategyConflict() {
        return Reaction.FAIL;
    }
}
