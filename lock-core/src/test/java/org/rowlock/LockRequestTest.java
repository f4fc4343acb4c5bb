package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.name;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockKey.rows;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.assertIllegal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.RowKey;

class LockRequestTest {
    private static final LockWait OTHERWISE = LockWait.atMost(Duration.ofHours(1));

    @Test
    void eachFactoryNamesItsMode() {
        Map<RowLockMode, List<LockRequest>> made = Map.of(
                RowLockMode.FOR_UPDATE, List.of(forUpdate(row("a", 1)), forUpdate(rows("a", List.of(1)))),
                RowLockMode.FOR_NO_KEY_UPDATE,
                        List.of(forNoKeyUpdate(row("a", 1)), forNoKeyUpdate(rows("a", List.of(1)))),
                RowLockMode.FOR_SHARE, List.of(forShare(row("a", 1)), forShare(rows("a", List.of(1)))),
                RowLockMode.FOR_KEY_SHARE,
                        List.of(
                                LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(row("a", 1))),
                                LockRequest.of(RowLockMode.FOR_KEY_SHARE, rows("a", List.of(1)))));
        made.forEach((mode, requests) -> {
            for (LockRequest request : requests) {
                RequestParts parts = RequestParts.of(request);
                assertThat(parts.mode()).isEqualTo(mode);
                assertThat(parts.modeOf(row("a", 1))).isEqualTo(mode);
                assertThat(request).isEqualTo(LockRequest.of(mode, List.of(row("a", 1))));
            }
        });
    }

    @Test
    void keysCountOnceAndStayInTheirOrder() {
        RequestParts request = RequestParts.of(forUpdate(List.of(row("a", 2), row("a", 1), row("a", "2"), name("n"))));
        assertThat(request.keys()).containsExactly(row("a", 2), row("a", 1), name("n"));
        assertThat(request.and(forShare(row("a", 1))).keys()).isEqualTo(request.keys());
    }

    /** Of a text column two spellings are two rows, and one key. */
    @Test
    void everySpellingOfAnIdIsARow() {
        String lower = "0b8e2a44-7d1f-4c55-9a57-0a3e6a0d1c11";
        LockKey.Row upper = row("a", lower.toUpperCase(java.util.Locale.ROOT));
        List<LockRequest> made = List.of(
                forUpdate(List.of(row("a", lower), upper, upper)),
                forUpdate(row("a", lower)).and(forUpdate(upper)).and(forUpdate(upper)));
        for (LockRequest request : made) {
            assertThat(RequestParts.of(request).keys()).hasSize(1);
            assertThat(RequestParts.of(request).rows().stream().map(RowKey::givenId))
                    .containsExactly(List.of(lower), RowKey.givenId(upper));
        }
    }

    @Test
    void modesAndWaitsAndRequiredRowsJoin() {
        Random random = new Random(7);
        for (int run = 0; run < 200; run++) {
            Map<LockKey, RowLockMode> strongest = new HashMap<>();
            List<LockRequest> parts = new ArrayList<>();
            for (int part = random.nextInt(4); part >= 0; part--) {
                LockKey key = row("a", random.nextInt(3));
                RowLockMode mode = RowLockMode.values()[random.nextInt(4)];
                parts.add(LockRequest.of(mode, List.of(key)));
                strongest.merge(key, mode, (one, other) -> one.compareTo(other) < 0 ? one : other);
            }
            RequestParts joined =
                    RequestParts.of(parts.stream().reduce(LockRequest::and).orElseThrow());
            strongest.forEach((key, mode) -> assertThat(joined.modeOf(key)).isEqualTo(mode));
            assertThat(joined.mode()).isEqualTo(Collections.min(strongest.values()));
            assertThat(joined.keys()).containsExactlyInAnyOrderElementsOf(strongest.keySet());
        }
        RequestParts one = RequestParts.of(forUpdate(row("a", 1)));
        RequestParts other = RequestParts.of(forShare(row("a", 2)));
        assertThat(one.and(other).lockWait(OTHERWISE)).isSameAs(OTHERWISE);
        assertThat(RequestParts.of(one.noWait()).and(other).lockWait(OTHERWISE)).isEqualTo(LockWait.NO_WAIT);
        assertThat(RequestParts.of(one.forever())
                        .and(other.atMost(Duration.ofMillis(5)))
                        .lockWait(OTHERWISE))
                .isEqualTo(LockWait.atMost(Duration.ofMillis(5)));
        assertThat(RequestParts.of(one.atMost(Duration.ofMillis(5)))
                        .and(other.atMost(Duration.ZERO))
                        .lockWait(OTHERWISE))
                .isEqualTo(LockWait.NO_WAIT);
        LockRequest name = forUpdate(LockKey.name("n"));
        assertThat(one.and(other.allowAbsent()).isAbsentAllowed()).isFalse();
        assertThat(one.allowAbsent().and(other.allowAbsent()).isAbsentAllowed()).isTrue();
        assertThat(one.allowAbsent().and(name).isAbsentAllowed()).isTrue();
    }

    @Test
    void itIsAValue() {
        LockRequest request = forUpdate(row("a", 1)).and(forShare(row("b", 2)));
        assertThat(request).isEqualTo(forUpdate(row("a", "1")).and(forShare(row("B", 2L))));
        assertThat(request.hashCode())
                .isEqualTo(forUpdate(row("a", 1)).and(forShare(row("b", 2))).hashCode());
        assertThat(List.of(
                        forUpdate(row("a", 1)),
                        forUpdate(row("a", 1)).and(forUpdate(row("b", 2))),
                        request.noWait(),
                        request.allowAbsent()))
                .doesNotContain(request)
                .doesNotHaveDuplicates();
        assertThat(request.allowAbsent().atMost(Duration.ofMillis(200)))
                .hasToString("a[1] FOR UPDATE and b[2] FOR SHARE, atMost 0.2s, absent allowed");
    }

    @Test
    void aMissingPartIsNamed() {
        assertIllegal(() -> forUpdate(row("a", 1)).and(null), "The other request is null");
        assertIllegal(() -> forUpdate(Collections.singletonList(null)), "several keys, is null");
        assertIllegal(() -> forUpdate(List.of()), "The keys are empty");
        assertIllegal(() -> forUpdate((List<LockKey>) null), "keys are null");
        assertIllegal(() -> forUpdate(Arrays.asList(row("a", 1), null)), "null");
        assertIllegal(() -> forUpdate((LockKey) null), "several keys, is null");
        assertIllegal(() -> LockRequest.of(null, List.of(row("a", 1))), "The mode is null");
        assertIllegal(() -> forUpdate(row("a", 1)).atMost((Duration) null), "null");
        assertIllegal(() -> forUpdate(row("a", 1)).atMost(Duration.ofMillis(-1)), "positive");
    }
}
