package org.rowlock.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.RowLockSettings;
import org.rowlock.spring.internal.annotation.LockWaits;

/** The settings that the properties {@code rowlock.*} define. */
record PropertySettings(
        @Nullable Duration defaultWait,
        boolean admission,
        @Nullable Duration admissionTimeout,
        boolean lockEntities,
        boolean verify,
        Reaction missingGuard,
        Reaction unlockedMethods)
        implements RowLockSettings {

    PropertySettings(RowLockProperties properties) {
        this(
                RowLocksFactory.set(
                        "rowlock.lock-wait",
                        () -> LockWaits.parse(properties.lockWait()).duration()),
                properties.admission().enabled(),
                timeout(properties.admission().timeout()),
                properties.lockEntities(),
                properties.verify(),
                properties.missingGuard(),
                properties.unlockedMethods());
    }

    private static @Nullable Duration timeout(@Nullable Duration timeout) {
        return RowLocksFactory.set(
                "rowlock.admission.timeout", () -> LockWaits.of(timeout).duration());
    }
}
