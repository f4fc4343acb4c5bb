package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rowlock.LockKey;
import org.rowlock.LockRelease;

class ReleasesTest {
    private static final LockKey KEY = LockKey.number(1);
    private static final LockKey OTHER = LockKey.number(2);

    private final Releases waits = new Releases(LockRelease.EARLY, Long.MAX_VALUE / 2);

    @Test
    void nothingIsKnownAtFirst() {
        assertThat(waits.isRecent(KEY)).isFalse();
        waits.locked(KEY, false, 1_000_000);
        assertThat(waits.isRecent(KEY)).isFalse();
    }

    @Test
    void whoTakesMuchLongerThanTheShortestHasWaited() {
        waits.locked(KEY, false, 100_000);
        waits.locked(KEY, false, 250_000);
        assertThat(waits.isRecent(KEY)).isFalse();
        waits.locked(OTHER, false, 400_000);
        assertThat(waits.isRecent(OTHER)).isTrue();
        assertThat(waits.isRecent(KEY)).isFalse();
    }

    @Test
    void aWaitIsForgotten() {
        Releases over = new Releases(LockRelease.EARLY, -1);
        over.locked(KEY, false, 100_000);
        over.locked(KEY, false, 400_000);
        assertThat(over.isRecent(KEY)).isFalse();
    }
}
