package org.rowlock.testing;

import java.time.Duration;
import java.util.List;
import org.rowlock.internal.value.LockWait;

/** The waits of tests. */
public final class Waits {
    /** One wait of each kind. None of them ends too early on a slow machine. */
    public static final List<LockWait> ALL =
            List.of(LockWait.FOREVER, LockWait.NO_WAIT, LockWait.atMost(TestDatabase.DEADLINE));

    /** The waits that end soon if another transaction holds the lock. */
    public static final List<LockWait> SHORT = List.of(LockWait.NO_WAIT, LockWait.atMost(Duration.ofMillis(20)));

    private Waits() {}
}
