package org.rowlock.testing;

import java.util.Collections;
import java.util.Map;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.RowLockMode;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;

/** Requests of tests that draw the mode of each key. */
public final class Requests {
    private Requests() {}

    /** The request with a wait that the test has drawn. */
    public static LockRequest waiting(LockRequest request, LockWait wait) {
        return RequestParts.of(request).waiting(wait);
    }

    /** Each key in its mode. A map may tell keys apart that are equal; then the strongest mode counts. */
    public static LockRequest of(Map<? extends LockKey, RowLockMode> modes) {
        return modes.entrySet().stream()
                .map(each -> LockRequest.of(each.getValue(), Collections.singletonList(each.getKey())))
                .reduce(LockRequest::and)
                .orElseThrow();
    }
}
