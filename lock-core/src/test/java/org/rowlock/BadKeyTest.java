package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.testing.Failures.assertIllegal;

import java.math.BigDecimal;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.ClaimParts;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.TestDataSource;

/** Keys, waits and settings that make no sense are refused where they are made, before there is a connection. */
class BadKeyTest {
    static List<Object> unsupportedIds() {
        return List.of(
                Double.NaN,
                1.0,
                Float.NaN,
                1f,
                Double.POSITIVE_INFINITY,
                new BigDecimal("1.5"),
                new BigDecimal("1e-500000000"),
                new Object(),
                new Timestamp(0),
                new java.sql.Time(0),
                new Date(0),
                new byte[] {1},
                new int[] {1},
                Optional.of(1),
                OptionalLong.of(1),
                new AtomicLong(1),
                Map.of(1, 2),
                Set.of(1),
                true,
                new StringBuilder("1"),
                Duration.ofSeconds(1),
                Year.of(2026),
                YearMonth.of(2026, 1));
    }

    @ParameterizedTest
    @MethodSource("unsupportedIds")
    void idOfAnotherTypeNamesTableAndType(Object id) {
        assertIllegal(() -> row("account", id), "account", id.getClass().getName(), "give an integral number");
        assertIllegal(() -> row("account", 1, id), id.getClass().getName());
        assertIllegal(
                () -> LockKey.rows("account", List.of(1, id)), id.getClass().getName());
    }

    @Test
    void nullIdNamesTheTable() {
        assertIllegal(() -> row("account", (Object) null), "account", "null");
        assertIllegal(() -> row("account", 1, null), "null");
        assertIllegal(() -> LockKey.rows("account", Arrays.asList(1, null)), "null");
        assertIllegal(() -> LockKey.rows("account", null), "account", "null");
        assertIllegal(() -> row("account", 1, 2, (Object[]) null), "null");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n", "\u2003"})
    void blankIdNamesTheTable(String id) {
        assertIllegal(() -> row("account", id), "account", "blank");
        assertIllegal(() -> row("account", "eu", id), "blank");
        assertIllegal(() -> row("account", List.of(id)), "blank");
    }

    @Test
    void idWithNulIsRefused() {
        assertIllegal(() -> row("account", "a\0b"), "account", "NUL");
        assertIllegal(() -> LockKey.name("a\0b"), "NUL");
    }

    /**
     * ("a", "b" + 31 + "c") and ("a" + 31 + "b", "c") would be one lock text; a collision only waits, but none is
     * better.
     */
    @Test
    void emptyCompositeIdIsRefused() {
        assertIllegal(() -> row("account", List.of()), "account", "no parts");
        assertIllegal(() -> LockKey.row("account", Arrays.asList("a", null)), "null");
    }

    @Test
    void nestedCompositeIdIsRefused() {
        assertIllegal(() -> row("account", List.of(1, List.of(2))), "account");
    }

    @Test
    void datesOutsideWhatIsoWritesAreRefused() {
        for (Object id : List.of(
                LocalDate.of(0, 1, 1),
                LocalDate.of(10_000, 1, 1),
                LocalDate.MAX,
                LocalDateTime.MIN,
                Instant.MAX,
                LocalDateTime.MAX.atOffset(ZoneOffset.UTC))) {
            assertIllegal(() -> row("account", id), "years 1 to 9999");
        }
        for (Object id : List.of(LocalTime.of(1, 2, 3, 4), Instant.ofEpochSecond(1, 1))) {
            assertIllegal(() -> row("account", id), "microseconds");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "account; drop table account",
                "account;--",
                "account--",
                "account/**/",
                "account a",
                " account",
                "account ",
                "account'",
                "'account'",
                "account(id)",
                "(select 1)",
                "1account",
                "$1",
                ".account",
                "account.",
                "a..b",
                "a.b.c.d",
                ".",
                "\"\"",
                "a.\"\"",
                "\"account",
                "account\"",
                "\"a\"b",
                "\"a\"\"",
                "a\"b\"",
                "a\nb",
                "a\\b",
                "account[1]",
                "a,b",
                "a?b",
                "a:b",
                "\"a\0b\"",
                "a-b",
                "\"a\" \"b\""
            })
    void malformedTableNameIsRefused(String table) {
        assertIllegal(() -> row(table, 1), table, "public.account");
        assertIllegal(() -> Claim.from(table));
        assertIllegal(() -> LockAccess.builder().strategy(table, LockStrategy.ROW));
        assertIllegal(() -> LockAccess.builder().idColumns(table, "id"));
    }

    @Test
    void nullAndBlankTableNamesAreRefused() {
        assertIllegal(() -> row(null, 1), "table name is null");
        for (String blank : List.of("", " ", "\t")) {
            assertIllegal(() -> row(blank, 1), "table name is blank");
        }
    }

    @Test
    void nullAndBlankNamesAreRefused() {
        assertIllegal(() -> LockKey.name(null), "name is null");
        assertIllegal(() -> LockKey.name(" "), "name is blank");
    }

    @Test
    void waitsThatMakeNoSenseAreRefused() {
        assertIllegal(() -> LockWait.atMost(null), "null");
        for (Duration negative : List.of(Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
            assertIllegal(() -> LockWait.atMost(negative), negative.toString(), "noWait()");
        }
        for (Duration huge : List.of(
                Duration.ofMillis(Integer.MAX_VALUE).plusNanos(1),
                Duration.ofDays(25),
                Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))) {
            assertIllegal(() -> LockWait.atMost(huge), huge.toString(), "forever()");
        }
        assertThat(LockWait.atMost(Duration.ZERO)).isEqualTo(LockWait.NO_WAIT);
        assertThat(LockWait.atMost(Duration.ofMillis(Integer.MAX_VALUE)).millis())
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(LockWait.atMost(Duration.ofNanos(1)).millis()).isOne();
    }

    @Test
    void builderRefusesWrongValues() {
        RowLocksBuilder builder = LockAccess.builder();
        assertIllegal(() -> builder.strategy(null), "strategy");
        assertIllegal(() -> builder.strategy("account", null), "strategy");
        assertIllegal(() -> builder.strategy(null, LockStrategy.ROW));
        for (int number : List.of(0, -1, Integer.MIN_VALUE)) {
            assertIllegal(() -> builder.lockBudget(number), "lockBudget", String.valueOf(number));
            assertIllegal(() -> builder.maxWaitersPerKey(number), "maxWaitersPerKey");
        }
        assertIllegal(() -> builder.listener(null), "listener");
        assertIllegal(() -> builder.idColumns("account"), "account");
        assertIllegal(() -> builder.idColumns("account", (String[]) null), "null");
        for (String column : Arrays.asList(null, "", " ")) {
            assertIllegal(() -> builder.idColumns("account", "id", column), "account");
        }
        assertThat(builder.build()).isNotNull();
    }

    @Test
    void claimRefusesWrongValues() {
        Claim claim = Claim.from("job");
        for (int limit : List.of(0, -1)) {
            assertIllegal(() -> claim.limit(limit), "job", String.valueOf(limit));
        }
        for (String text : Arrays.asList(null, "", " ")) {
            assertIllegal(() -> claim.where(text), "predicate");
            assertIllegal(() -> claim.orderBy(text), "order");
        }
        assertIllegal(() -> claim.where("true", (Object[]) null), "binds");
        assertThat(ClaimParts.of(claim).table()).isEqualTo("job");
    }

    /** The driver would send a question mark, so that all of them would be one key. */
    @Test
    void halfOfASurrogatePairIsRefused() {
        for (String text : List.of("\ud83d", "\ude00", "a\ud83d\ud83d\ude00", "\ud83d\ude00\ude00", "\ud83da")) {
            assertIllegal(() -> row("account", text), "surrogate");
            assertIllegal(() -> row("account", 1, text), "surrogate");
            assertIllegal(() -> LockKey.name(text), "surrogate");
        }
        assertThat(row("account", "\ud83d\ude00").id()).containsExactly("\ud83d\ude00");
    }

    @Test
    void aDataSourceThatReturnsNullIsNamed() {
        DataSource none = TestDataSource.of(() -> null);
        RowLocks locks = LockAccess.builder().build();
        LockRequest request = LockRequest.forUpdate(LockKey.name("x"));
        for (ThrowableAssert.ThrowingCallable call : List.<ThrowableAssert.ThrowingCallable>of(
                () -> locks.on(none).verify(),
                () -> locks.on(none).lock(request).inTransaction(tx -> 1),
                () -> locks.on(none).lock(request).read("select 1", found -> 1).inTransaction(tx -> 1),
                () -> locks.on(none).claim(Claim.from("job"), found -> 1).inTransaction(tx -> 1),
                () -> locks.on(none).lock(request).execute("select 1"))) {
            assertIllegal(call, "returned null");
        }
    }
}
