package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.testing.Failures.assertIllegal;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.internal.value.RowKey;

/** Keys are values: what is one id to the database is one key, whatever its Java type and the table's spelling. */
class LockKeyTest {
    private static final String UUID_TEXT = "0af7651a-16cd-43dd-8448-eb211c80319c";

    private enum Size {
        SMALL,
        /** A constant with a body is of an anonymous class. */
        LARGE {
            @Override
            public String toString() {
                return "very large";
            }
        }
    }

    static Stream<Arguments> idsAndTheirTexts() {
        Instant instant = Instant.parse("2024-02-29T23:05:09.123456Z");
        return Stream.of(
                Arguments.of((byte) -42, "-42"),
                Arguments.of((byte) -1, "-1"),
                Arguments.of((short) 42, "42"),
                Arguments.of(42, "42"),
                Arguments.of(42L, "42"),
                Arguments.of("42", "42"),
                Arguments.of(BigInteger.valueOf(42), "42"),
                Arguments.of(new BigDecimal("42.00"), "42"),
                Arguments.of(new BigDecimal("4.2E+1"), "42"),
                Arguments.of(new BigDecimal("-1E+3"), "-1000"),
                Arguments.of(new BigDecimal("1e3"), "1000"),
                Arguments.of(new BigDecimal("0.000"), "0"),
                Arguments.of(new BigDecimal("0E-999999999"), "0"),
                Arguments.of(Long.MIN_VALUE, "-9223372036854775808"),
                Arguments.of(BigInteger.TWO.pow(80), "1208925819614629174706176"),
                Arguments.of(BigInteger.TWO.pow(100), "1267650600228229401496703205376"),
                Arguments.of(BigInteger.TEN.pow(20), "100000000000000000000"),
                Arguments.of("0042", "0042"),
                Arguments.of("+42", "+42"),
                Arguments.of(" 42 ", " 42 "),
                Arguments.of("Zürich ", "Zürich "),
                Arguments.of("42.0", "42.0"),
                Arguments.of("Grüße, 東京 🔒", "Grüße, 東京 🔒"),
                Arguments.of(UUID.fromString(UUID_TEXT), UUID_TEXT),
                Arguments.of(UUID_TEXT, UUID_TEXT),
                Arguments.of(UUID.fromString("0AF7651A-16CD-43DD-8448-EB211C80319C"), UUID_TEXT),
                Arguments.of("0AF7651A-16CD-43DD-8448-EB211C80319C", UUID_TEXT),
                Arguments.of("0AF7651A-16CD-43DD-8448-EB211C80319C ", "0AF7651A-16CD-43DD-8448-EB211C80319C "),
                Arguments.of("0AF7651A16CD43DD8448EB211C80319C", "0AF7651A16CD43DD8448EB211C80319C"),
                Arguments.of("GAF7651A-16CD-43DD-8448-EB211C80319C", "GAF7651A-16CD-43DD-8448-EB211C80319C"),
                Arguments.of(Size.SMALL, "SMALL"),
                Arguments.of(Size.LARGE, "LARGE"),
                Arguments.of(LocalDate.of(2024, 2, 29), "2024-02-29"),
                Arguments.of(LocalDate.of(1, 1, 1), "0001-01-01"),
                Arguments.of(LocalDate.of(9999, 12, 31), "9999-12-31"),
                Arguments.of(java.sql.Date.valueOf("2024-02-29"), "2024-02-29"),
                Arguments.of(LocalTime.MIDNIGHT, "00:00:00"),
                Arguments.of(LocalTime.of(7, 5), "07:05:00"),
                Arguments.of(LocalTime.of(9, 30, 0, 500_000_000), "09:30:00.5"),
                Arguments.of(LocalTime.of(7, 5, 9, 120_000_000), "07:05:09.12"),
                Arguments.of(LocalTime.of(7, 5, 9, 123_456_000), "07:05:09.123456"),
                Arguments.of(LocalDateTime.of(2024, 2, 29, 7, 5), "2024-02-29T07:05:00"),
                Arguments.of(LocalDateTime.of(2024, 2, 29, 7, 5, 9, 1_000), "2024-02-29T07:05:09.000001"),
                Arguments.of(instant, "2024-02-29T23:05:09.123456Z"),
                Arguments.of(instant.atOffset(ZoneOffset.ofHours(14)), "2024-02-29T23:05:09.123456Z"),
                Arguments.of(
                        ZonedDateTime.parse("2026-07-01T09:30:00.5+02:00[Europe/Zurich]"), "2026-07-01T07:30:00.5Z"),
                Arguments.of(ZonedDateTime.of(2024, 3, 1, 0, 5, 9, 0, ZoneOffset.ofHours(1)), "2024-02-29T23:05:09Z"),
                Arguments.of(Instant.parse("2024-02-29T23:05:00Z"), "2024-02-29T23:05:00Z"));
    }

    @ParameterizedTest
    @MethodSource("idsAndTheirTexts")
    void idHasOneCanonicalText(Object id, String text) {
        assertThat(row("account", id).id()).containsExactly(text);
        assertThat(row("account", id)).isEqualTo(row("account", text)).hasSameHashCodeAs(row("account", text));
    }

    @Test
    void primitiveIdsAreTheSameKeysAsTheirBoxes() {
        assertThat(Stream.of(row("t", 42), row("t", 42L), row("t", (Object) 42), row("t", (Object) "42"))
                        .distinct())
                .hasSize(1);
        assertThat(row("t", Integer.MIN_VALUE).id()).containsExactly("-2147483648");
        assertThat(row("t", Long.MAX_VALUE).id()).containsExactly("9223372036854775807");
    }

    @Test
    void compositeIdKeepsTheOrderAndTheTypesDoNotCount() {
        LockKey.Row key = row("line", 7, "A", LocalDate.of(2024, 1, 2));
        assertThat(key.id()).containsExactly("7", "A", "2024-01-02");
        assertThat(key).isEqualTo(row("line", List.of(7L, "A", "2024-01-02")));
        assertThat(key).isNotEqualTo(row("line", "A", 7, LocalDate.of(2024, 1, 2)));
        assertThat(RowKey.idText(key.id())).isEqualTo("7\u001fA\u001f2024-01-02");
        assertThat(RowKey.idText(row("line", List.of(42)).id())).isEqualTo("42");
        assertThat(row("line", List.of("B0000000-0000-0000-0000-00000000000B", 1))
                        .id())
                .containsExactly("b0000000-0000-0000-0000-00000000000b", "1");
        assertThat(row("line", List.of(7))).isEqualTo(row("line", 7));
    }

    @Test
    void keyDoesNotChangeWithTheListItWasMadeOf() {
        List<Object> parts = new ArrayList<>(List.of(1, 2));
        LockKey.Row made = row("line", parts);
        List<String> texts = new ArrayList<>(List.of("1", "2"));
        LockKey.Row constructed = row("line", texts);
        parts.set(0, 9);
        texts.set(0, "9");
        assertThat(made).isEqualTo(constructed).isEqualTo(row("line", 1, 2));
        assertThatThrownBy(() -> made.id().set(0, "9")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void rowsKeepTheOrderAndTheDuplicates() {
        assertThat(LockKey.rows("T", List.of(3, "1", 3L))).containsExactly(row("t", 3), row("t", 1), row("t", 3));
        assertThat(LockKey.rows("t", List.of())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "account | account",
                "Account | account",
                "ACCOUNT_2 | account_2",
                "\"account\" | account",
                "\"Account\" | \"Account\"",
                "Public.Account | public.account",
                "\"public\".\"account\" | public.account",
                "db.Public.Account | db.public.account",
                "\"my.schema\".\"my.table\" | \"my.schema\".\"my.table\"",
                "\"with \"\"quotes\"\"\" | \"with \"\"quotes\"\"\"",
                "\"1st\" | \"1st\"",
                "\" \" | \" \"",
                "_x | _x",
                "order | order",
                "\"order\" | order",
                "\"ORDER\" | \"ORDER\"",
            })
    void tableHasOneSpelling(String table, String normalized) {
        assertThat(row(table, 1).table()).isEqualTo(normalized);
        assertThat(row(normalized, 1)).isEqualTo(row(table, 1));
    }

    /** Each pair is one name to the server. */
    @ParameterizedTest
    @CsvSource({"a$b, '\"a$b\"'", "A$B, '\"a$b\"'", "straße, '\"straße\"'", "Über, '\"Über\"'", "東京, '\"東京\"'"})
    void quotesThatSqlDoesNotNeedMakeNoOtherKey(String unquoted, String quoted) {
        assertThat(row(unquoted, 1)).isEqualTo(row(quoted, 1));
    }

    @Test
    void lettersOutsideAsciiAreNotFolded() {
        assertThat(row("Über", 1)).isNotEqualTo(row("über", 1));
    }

    @Test
    void keysSayWhatTheyAre() {
        assertThat(row("Account", 42)).hasToString("account[42]");
        assertThat(row("line", 7, "A")).hasToString("line[7, A]");
        assertThat(LockKey.name("nightly report")).hasToString("name[nightly report]");
        assertThat(LockKey.number(-1)).hasToString("number[-1]");
        assertThat(LockKey.pair(1, -2)).hasToString("pair[1, -2]");
    }

    @Test
    void kindsOfKeysAreNeverEqual() {
        assertThat(Stream.<LockKey>of(
                                row("name", "x"), LockKey.name("x"), LockKey.number(1), LockKey.pair(0, 1), row("a", 1))
                        .distinct())
                .hasSize(5);
    }

    @Test
    void everyCharacterOfANameCounts() {
        assertThat(LockKey.name("Job")).isNotEqualTo(LockKey.name("job")).isNotEqualTo(LockKey.name("Job "));
        assertThat(LockKey.name("0AF7651A-16CD-43DD-8448-EB211C80319C")).isNotEqualTo(LockKey.name(UUID_TEXT));
    }

    /** The golden vectors of KeyVersionOneTest have the pairs, and the other texts that are none. */
    @ParameterizedTest
    @ValueSource(strings = {"-", "-01", "1e3", "0x1", "99999999999", "-99999999999", "１"})
    void aTextThatIsNearlyAnInt4IsNoPair(String text) {
        assertThat(RowKey.isPair(row("t", text))).isFalse();
    }

    /** A short number can be a long text; it is refused before it is written out. */
    @Test
    void numberOfAMillionDigitsIsRefused() {
        assertIllegal(() -> row("account", new BigDecimal("1e500000000")), "account", "digits");
    }
}
