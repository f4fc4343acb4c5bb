package org.rowlock.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The default settings, except the settings that a test changes. */
public record TestSettings(
        @Nullable Duration defaultWait,
        boolean admission,
        boolean lockEntities,
        boolean verify,
        Reaction unlockedMethods)
        implements RowLockSettings {
    public TestSettings() {
        this(null, true, true, true, Reaction.WARN);
    }

    public TestSettings defaultWait(Duration wait) {
        return new TestSettings(wait, admission, lockEntities, verify, unlockedMethods);
    }

    public TestSettings admission(boolean on) {
        return new TestSettings(defaultWait, on, lockEntities, verify, unlockedMethods);
    }

    public TestSettings lockEntities(boolean on) {
        return new TestSettings(defaultWait, admission, on, verify, unlockedMethods);
    }

    public TestSettings verify(boolean on) {
        return new TestSettings(defaultWait, admission, lockEntities, on, unlockedMethods);
    }

    public TestSettings unlockedMethods(Reaction reaction) {
        return new TestSettings(defaultWait, admission, lockEntities, verify, reaction);
    }
}
