package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Session;
import org.rowlock.testing.Waits;

/** Ids of every supported type, from Java to the column and back. */
public abstract class IdTypesContract extends RowLockContract {
    private enum Mood {
        HAPPY,
        SAD
    }

    /** A type of column, two ids as literals of SQL, and the same two as values of Java. */
    public record Ids(String columns, String firstSql, String secondSql, Object first, Object second) {
        public String names() {
            return columns.replaceAll("(\\w+) [^,]+", "$1");
        }

        @Override
        public String toString() {
            return columns + " " + first;
        }
    }

    IdTypesContract(FirstLockContracts of) {
        super(of, "create type mood as enum ('HAPPY', 'SAD')");
    }

    public static Stream<Ids> ids() {
        return Stream.of(
                new Ids("a smallint", "1", "-2", (short) 1, -2),
                new Ids("a int", "2147483647", "-2147483648", Integer.MAX_VALUE, Integer.MIN_VALUE),
                new Ids("a int", "0", "42", "0", 42L),
                new Ids("a bigint", "9000000000", "1", 9_000_000_000L, 1),
                new Ids("a bigint", "2147483648", "-9223372036854775808", 2147483648L, Long.MIN_VALUE),
                new Ids(
                        "a numeric",
                        "123456789012345678901234567890",
                        "7",
                        new BigInteger("123456789012345678901234567890"),
                        new BigDecimal("7.00")),
                new Ids("a text", "'abc'", "'42'", "abc", 42),
                new Ids("a text", "'Zoë ''☃'' \\'", "' x '", "Zoë '☃' \\", " x "),
                new Ids("a varchar(8)", "'abc'", "'abcdefgh'", "abc", "abcdefgh"),
                new Ids("a char(5)", "'abc'", "'abcde'", "abc", "abcde"),
                new Ids(
                        "a uuid",
                        "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
                        "'00000000-0000-0000-0000-000000000000'",
                        UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
                        "00000000-0000-0000-0000-000000000000"),
                new Ids("a mood", "'HAPPY'", "'SAD'", Mood.HAPPY, "SAD"),
                new Ids("a date", "'2024-02-29'", "'0001-01-01'", LocalDate.of(2024, 2, 29), LocalDate.of(1, 1, 1)),
                new Ids(
                        "a time",
                        "'10:20'",
                        "'23:59:59.5'",
                        LocalTime.of(10, 20),
                        LocalTime.of(23, 59, 59, 500_000_000)),
                new Ids(
                        "a timestamp",
                        "'2024-02-29 10:20:00'",
                        "'2024-02-29 10:20:00.000001'",
                        LocalDateTime.of(2024, 2, 29, 10, 20),
                        LocalDateTime.of(2024, 2, 29, 10, 20, 0, 1000)),
                new Ids(
                        "a timestamptz",
                        "'2024-02-29 10:20:00+02'",
                        "'1969-12-31 23:59:59.25Z'",
                        OffsetDateTime.parse("2024-02-29T03:20:00-05:00"),
                        Instant.parse("1969-12-31T23:59:59.250Z")),
                new Ids("a int, b text", "1, 'x'", "1, 'y'", List.of(1, "x"), List.of(1L, "y")),
                new Ids(
                        "b text, a bigint, c date",
                        "'x', 5, '2024-02-29'",
                        "'x', 6, '2024-02-29'",
                        List.of("x", 5, LocalDate.of(2024, 2, 29)),
                        List.of("x", 6, LocalDate.of(2024, 2, 29))));
    }

    private void createThings(Ids ids) throws Exception {
        database.execute(
                "create table thing(" + ids.columns() + ", note text, primary key (" + ids.names() + "))",
                "insert into thing values (" + ids.firstSql() + "), (" + ids.secondSql() + ")");
    }

    @ParameterizedTest
    @MethodSource("ids")
    void idsOfEveryTypeLockTheirRowAndNoOther(Ids ids) throws Exception {
        createThings(ids);
        LockKey first = LockKey.row("thing", ids.first());
        LockKey second = LockKey.row("thing", ids.second());

        LockResult result = lock(alice, first);

        assertThat(result.isHeld()).isTrue();
        assertThat(result.absentRows()).isEmpty();
        assertThat(tryLock(bob, first)).isFalse();
        assertThat(tryLock(bob, second)).isTrue();
        bob.rollback();
        String freeRows = "select count(*) from (select 1 from thing%s for update skip locked) t";
        boolean rowLocks = strategy() != LockStrategy.ADVISORY;
        assertThat(query(bob, String.format(freeRows, ""))).isEqualTo(rowLocks ? "1" : "2");
        bob.rollback();
        String thatRow = " where (" + ids.names() + ") in ((" + ids.firstSql() + "))";
        assertThat(query(bob, String.format(freeRows, thatRow))).isEqualTo(rowLocks ? "0" : "1");
        bob.rollback();

        List<LockKey> keys = List.of(second, first);
        for (LockWait wait : Waits.ALL) {
            assertThat(lockAll(alice, keys, wait).absentRows()).isEmpty();
        }
        assertThat(tryLock(bob, first)).isFalse();
        assertThat(tryLock(bob, second)).isFalse();
    }

    private List<Integer> claimed(Session session, Claim claim) throws Exception {
        return session.run(c -> locks.in(c).claim(claim, row -> 1));
    }

    @ParameterizedTest
    @MethodSource("ids")
    void aClaimedRowIsTheOneThatItsIdNames(Ids ids) throws Exception {
        createThings(ids);
        Claim claim = Claim.from("thing").where("note is distinct from 'x'").limit(1);
        String text = alice.run(c -> locks.in(c).claim(claim, row -> row.getString(1) + '|' + row.getString(2)))
                .get(0);
        String rest = bob.run(c -> locks.in(c).claim(claim.limit(5), row -> row.getString(1) + '|' + row.getString(2)))
                .get(0);

        assertThat(rest).isNotEqualTo(text);
        assertThat(isFree(LockKey.row("thing", ids.first()))).isFalse();
        assertThat(isFree(LockKey.row("thing", ids.second()))).isFalse();
        bob.rollback();
        alice.rollback();
        lock(alice, LockKey.row("thing", ids.first()));
        assertThat(claimed(bob, claim.limit(5))).hasSize(1);
        assertThat(isFree(LockKey.row("thing", ids.second()))).isFalse();
        alice.rollback();
        bob.rollback();
        assertThat(claimed(bob, claim.limit(5))).hasSize(2);
        assertThat(isFree(LockKey.row("thing", ids.first()))).isFalse();
        assertThat(isFree(LockKey.row("thing", ids.second()))).isFalse();
    }

    @Test
    void anIdColumnThatWasWidenedMeanwhileIsLockedAtTheLatestOnTheSecondTry() throws Exception {
        createThings(new Ids("a int", "1", "2", 1, 2));
        lock(alice, LockKey.row("thing", 1));
        alice.commit();
        database.execute("alter table thing alter a type bigint", "insert into thing values (3000000000)");
        LockKey wide = LockKey.row("thing", 3_000_000_000L);

        try {
            lock(alice, wide);
        } catch (LockTargetException e) {
            alice.rollback();
        }

        assertThat(lock(alice, wide).absentRows()).isEmpty();
        assertThat(tryLock(bob, wide)).isFalse();
    }

    @Test
    void aPointInTimeIsOneLockInEveryTimeZone() throws Exception {
        createThings(new Ids("a timestamptz", "'2024-02-29 10:20:00+02'", "'2024-01-01Z'", "", ""));
        alice.execute("set timezone = 'Asia/Kolkata'");
        bob.execute("set timezone = 'America/New_York'");

        assertThat(lock(alice, LockKey.row("thing", Instant.parse("2024-02-29T08:20:00Z")))
                        .absentRows())
                .isEmpty();

        assertThat(tryLock(bob, LockKey.row("thing", OffsetDateTime.parse("2024-02-29T10:20:00+02:00"))))
                .isFalse();
        assertThat(claimed(bob, Claim.from("thing").limit(5))).hasSize(1);
    }
}
