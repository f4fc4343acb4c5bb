package org.rowlock.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The default settings, except the settings that a test changes. */
public final class TestSettings implements RowLockSettings {
    private @Nullable Duration defaultWait;
    private boolean admission = true;
    private boolean lockEntities = true;
    private boolean verify = true;
    private Reaction unlockedMethods = Reaction.WARN;

    @Override
    public @Nullable Duration defaultWait() {
        return defaultWait;
    }

    public TestSettings defaultWait(Duration wait) {
        defaultWait = wait;
        return this;
    }

    @Override
    public boolean admission() {
        return admission;
    }

    public TestSettings admission(boolean on) {
        admission = on;
        return this;
    }

    @Override
    public boolean lockEntities() {
        return lockEntities;
    }

    public TestSettings lockEntities(boolean on) {
        lockEntities = on;
        return this;
    }

    @Override
    public boolean verify() {
        return verify;
    }

    public TestSettings verify(boolean on) {
        verify = on;
        return this;
    }

    @Override
    public Reaction unlockedMethods() {
        return unlockedMethods;
    }

    public TestSettings unlockedMethods(Reaction reaction) {
        unlockedMethods = reaction;
        return this;
    }
}
