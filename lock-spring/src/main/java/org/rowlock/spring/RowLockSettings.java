package org.rowlock.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the whole application. To change a default, define a bean of this type that overrides the method.
 * With Spring Boot, set the properties {@code rowlock.*} instead. Implementations are immutable.
 */
public interface RowLockSettings {
    /** {@return the defaults} */
    static RowLockSettings defaults() {
        return new RowLockSettings() {};
    }

    /**
     * {@return the wait of calls that do not specify a wait; zero for no wait. The default is null, which means no
     * bound except the transaction's timeout}
     */
    default @Nullable Duration defaultWait() {
        return null;
    }

    /** {@return whether calls queue in the JVM before they borrow a connection. The default is true} */
    default boolean admission() {
        return true;
    }

    /**
     * {@return the longest time that a call queues in the JVM, even if the wait of the call is longer. The default is
     * null, which means the connection timeout of the pool, or 30 seconds if the pool is not HikariCP}
     */
    default @Nullable Duration admissionTimeout() {
        return null;
    }

    /**
     * {@return whether JPA's own statement may lock the row of an entity, and read the entity in the same round trip.
     * Rowlock uses that statement only if it locks the same row in the same mode as Rowlock's statement. The default is
     * true}
     */
    default boolean lockEntities() {
        return true;
    }

    /**
     * {@return whether to verify at startup that advisory locks exclude each other, and that the tables exist. The
     * default is true}
     */
    default boolean verify() {
        return true;
    }

    /**
     * {@return the reaction at startup to a table with strategy ADVISORY that has no guard. The default is {@link
     * Reaction#WARN}}
     */
    default Reaction missingGuard() {
        return Reaction.WARN;
    }

    /**
     * {@return the reaction to methods with {@link RowLock} that lock nothing, because their beans were created before
     * Rowlock could proxy them, or because their own class calls them. The default is {@link Reaction#WARN}}
     */
    default Reaction unlockedMethods() {
        return Reaction.WARN;
    }
}
