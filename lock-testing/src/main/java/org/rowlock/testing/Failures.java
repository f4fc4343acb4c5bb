package org.rowlock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.sql.SQLException;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Checks how calls fail. */
public final class Failures {
    private Failures() {}

    /** Returns a check that a failure is an SQLException with this SQLSTATE. */
    public static Consumer<Throwable> sqlState(String expected) {
        return failure -> assertThat(failure)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(expected));
    }

    /** Checks that the call rejects an argument, with a message that contains each of the words. */
    public static void assertIllegal(ThrowingCallable call, String... words) {
        Throwable refusal = catchThrowable(call);
        assertThat(refusal).isInstanceOf(IllegalArgumentException.class);
        for (String word : words) {
            assertThat(refusal).hasMessageContaining(word);
        }
    }
}
