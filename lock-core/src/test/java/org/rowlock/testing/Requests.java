package org.rowlock.testing;

import java.util.Collections;
import java.util.Map;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.RowLockMode;

/** Requests of tests that draw the mode of each key. */
public final class Requests {
    private Requests() {}

    /** Each key in its mode. A map may tell keys apart that are equal; then the strongest mode counts. */
    public static LockRequest of(Map<? extends LockKey, RowLockMode> modes) {
        return modes.entrySet().stream()
                .map(each -> LockRequest.of(each.getValue(), Collections.singletonList(each.getKey())))
                .reduce(LockRequest::and)
                .orElseThrow();
    }
}
