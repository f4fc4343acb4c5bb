package org.rowlock.spring;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs a call at most once, and gives every caller what came of it. Not thread-safe. */
final class OnlyOnce<T> implements Supplier<T> {
    private final Supplier<T> call;
    private @Nullable Supplier<T> outcome;
    private @Nullable Throwable failure;

    OnlyOnce(Supplier<T> call) {
        this.call = call;
    }

    @Override
    public T get() {
        if (outcome == null) {
            outcome = run();
        }
        return outcome.get();
    }

    private Supplier<T> run() {
        try {
            T value = call.get();
            return () -> value;
        } catch (RuntimeException e) {
            failure = e;
            return () -> {
                throw e;
            };
        } catch (Error e) {
            failure = e;
            return () -> {
                throw e;
            };
        }
    }

    /** Whether this is what the call threw, and not what somebody around it did. */
    boolean failedWith(Throwable thrown) {
        return thrown.equals(failure);
    }
}
