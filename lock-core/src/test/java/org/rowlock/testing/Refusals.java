package org.rowlock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Consumer;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.rowlock.RowlockException;

/** How Rowlock refuses calls. */
public final class Refusals {
    private Refusals() {}

    /** Checks that a call throws an exception of this type with this SQLSTATE. */
    public static AbstractThrowableAssert<?, ? extends Throwable> assertRefusal(
            Class<? extends RowlockException> type, String sqlState, ThrowingCallable call) {
        return assertThatThrownBy(call).isInstanceOf(type).satisfies(state(sqlState));
    }

    /** An exception of Rowlock with this SQLSTATE. */
    public static Consumer<Throwable> state(String sqlState) {
        return failure -> assertThat(failure)
                .isInstanceOfSatisfying(
                        RowlockException.class, e -> assertThat(e.sqlState()).contains(sqlState));
    }

    /** An exception of Rowlock that is retryable or not. */
    public static Consumer<Throwable> retryable(boolean expected) {
        return failure -> assertThat(failure)
                .isInstanceOfSatisfying(
                        RowlockException.class, e -> assertThat(e.isRetryable()).isEqualTo(expected));
    }
}
