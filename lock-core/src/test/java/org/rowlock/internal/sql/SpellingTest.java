package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockKey.rows;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.tryLock;

import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Held;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/**
 * The server takes more spellings of an id than its key has. Either a spelling locks the row and its one key, or it is
 * refused and names the right one.
 */
@Tag("long")
class SpellingTest {
    private static final String UPPER = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11";

    @RegisterExtension
    final TestDatabase database = new TestDatabase("create extension if not exists citext schema public");

    private void createThing(String type, String id) throws Exception {
        database.execute("create table thing(id " + type + " primary key)", "insert into thing values (" + id + ")");
    }

    /** Whether a plain FOR UPDATE NOWAIT beside us gets the only row. */
    private boolean isRowFree() throws Exception {
        Session plain = database.session("plain");
        try {
            plain.execute("select 1 from thing for update nowait");
            return true;
        } catch (java.sql.SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("55P03");
            return false;
        } finally {
            plain.rollback();
        }
    }

    private static List<Session.Body<?>> ways(RowLocks locks, LockKey key) {
        return List.of(
                c -> locks.in(c).lock(forUpdate(key)),
                c -> locks.in(c).tryLock(forUpdate(key)).isHeld(),
                c -> locks.in(c).lock(forUpdate(key).atMost(Duration.ofSeconds(60))),
                c -> locks.in(c).lock(forUpdate(List.of(key, LockKey.name("beside")))),
                c -> locks.in(c).lockAndRead(forUpdate(key), "select 1", found -> 1));
    }

    @EveryStrategy.WithRow
    void aTextIdThatLooksLikeAUuidInUpperCaseIsLocked(LockStrategy strategy, Session alice) throws Exception {
        createThing("text", "'" + UPPER + "'");
        for (Session.Body<?> way : ways(locks(strategy), row("thing", UPPER))) {
            for (boolean begun : List.of(false, true)) {
                if (begun) {
                    alice.execute("select 1");
                }
                alice.run(way);
                assertThat(isRowFree()).isFalse();
                alice.rollback();
            }
        }
    }

    /** Of which one may be there and the other not. */
    @EveryStrategy.WithRow
    void aQueryRunsBehindTheRowOfEitherCase(LockStrategy strategy, Session alice) throws Exception {
        createThing("text", "'" + UPPER + "'");
        // The table has the one or the other.
        LockRequest both = forUpdate(List.of(row("thing", UPPER), row("thing", UUID.fromString(UPPER))))
                .allowAbsent();
        BoundQuery<String> query = BoundQuery.of("select id from thing", found -> found.getString(1));
        assertThat(alice.<List<String>>run(c -> locks(strategy).in(c).lockAndRead(both, query.sql(), query.mapper())))
                .containsExactly(UPPER);
        assertThat(isRowFree()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            ignoreLeadingAndTrailingWhitespace = false,
            value = {"text," + UPPER + "," + UPPER, "char(5),ab\t,ab\t  "})
    void aClaimTakesARowWhoseIdIsSpelledInAnotherWay(String type, String id, String found) throws Exception {
        createThing(type, "'" + id + "'");
        for (LockStrategy strategy : LockStrategy.values()) {
            Session alice = database.session("alice");
            List<String> claimed = alice.run(
                    c -> locks(strategy).in(c).claim(Claim.from("thing").limit(5), row -> row.getString(1)));
            assertThat(claimed).as(strategy.name()).containsExactly(found);
            alice.rollback();
        }
    }

    /** No program can name a row whose id is blank, but a claim can lock it. */
    @EveryStrategy
    void aClaimTakesRowsWhoseIdsAreBlank(LockStrategy strategy, Session alice, Session bob) throws Exception {
        createThing("text", "''), ('a'), (E'\\n'), ('b'");
        List<String> claimed = alice.run(c ->
                locks(strategy).in(c).claim(Claim.from("thing").orderBy("id").limit(4), found -> found.getString(1)));
        assertThat(claimed).containsExactly("", "\n", "a", "b");
        assertThat((List<?>) bob.run(
                        c -> locks(strategy).in(c).claim(Claim.from("thing").limit(4), found -> 1)))
                .isEmpty();
    }

    static Stream<Arguments> otherSpellings() {
        return Stream.of(LockStrategy.values())
                .flatMap(strategy -> Stream.of(
                                List.of("int", "7", "007", "7"),
                                List.of("int", "7", "+7", "7"),
                                List.of("bigint", "7", " 7", "7"),
                                List.of("smallint", "7", "7.0", "7"),
                                List.of("numeric", "7", "7.0", "7"),
                                List.of("numeric(10, 2)", "7.5", "7.50", "7.5"),
                                List.of("numeric", "700", "7e2", "700"),
                                List.of("date", "current_date", "today", "ISO 8601"),
                                List.of("date", "'2026-07-01'", "1 July 2026", "ISO 8601"),
                                List.of("date", "'2026-07-01'", "20260701", "ISO 8601"),
                                List.of("time", "'09:30'", "09:30", "09:30:00"),
                                List.of("timestamp", "'2026-07-01 09:30'", "2026-07-01T09:30", "2026-07-01T09:30:00"),
                                List.of(
                                        "timestamptz",
                                        "'2026-07-01 09:30+02'",
                                        "2026-07-01T09:30:00+02:00",
                                        "2026-07-01T07:30:00Z"),
                                List.of("char(5)", "'ab'", "ab ", "ab"),
                                List.of("bigint", "1234567890123456789", "01234567890123456789", "1234567890123456789"),
                                List.of("uuid", "'" + UPPER + "'", UPPER.replace("-", ""), "8-4-4-4-12"))
                        .map(row -> Arguments.of(strategy, row.get(0), row.get(1), row.get(2), row.get(3))));
    }

    @ParameterizedTest
    @MethodSource("otherSpellings")
    void anotherSpellingIsRefusedAndTheRightOneNamed(
            LockStrategy strategy, String type, String sql, String given, String right, Session alice)
            throws Exception {
        createThing(type, sql);
        for (Session.Body<?> way : ways(locks(strategy), row("thing", given))) {
            for (boolean begun : List.of(false, true)) {
                if (begun) {
                    alice.execute("select 1");
                }
                assertThatThrownBy(() -> alice.run(way))
                        .isInstanceOf(LockTargetException.class)
                        .hasMessageContaining(right);
                alice.rollback();
                assertThat(isRowFree()).isTrue();
                assertThat(alice.advisoryLocks()).isZero();
            }
        }
    }

    /** The right spelling is refused too, as nothing but the server can tell. */
    @EveryStrategy.WithKey
    void keysRefuseTypesWhoseSpellingsOnlyTheServerKnows(LockStrategy strategy, RowLocks locks, Session alice)
            throws Exception {
        for (String type : List.of("boolean", "inet")) {
            database.execute("drop table if exists thing", "create table thing(id " + type + " primary key)");
            for (Session.Body<?> way : ways(locks, row("thing", "true"))) {
                assertThatThrownBy(() -> alice.run(way))
                        .isInstanceOf(LockTargetException.class)
                        .hasMessageContainingAll("thing", "column id of type", "Use strategy ROW");
                assertThat(alice.advisoryLocks()).isZero();
            }
            alice.rollback();
        }
    }

    @Test
    void anAbsentRowOfSeveralTypesMayBeAllowed(Session alice) throws Exception {
        database.execute(
                "create table seen(host text, at timestamp, until timestamptz, primary key (host, at, until))");
        RowLocks locks = locks(LockStrategy.BOTH);
        LockKey right = row("seen", "10.0.0.1/32", "2020-01-02T03:04:05", "2020-01-02T03:04:05Z");
        LockKey wrong = row("seen", "10.0.0.1/32", "2020-01-02T03:04:05", "2020-01-02T04:04:05+01:00");
        for (boolean begun : new boolean[] {false, true}) {
            LockResult absent = lock(alice, locks, forUpdate(right).allowAbsent());
            assertThat(Held.of(absent)).isEqualTo(Held.KEY_LOCKED_ROW_ABSENT);
            if (!begun) {
                alice.rollback();
            }
            assertThatThrownBy(() -> lock(alice, locks, forUpdate(wrong)))
                    .isInstanceOf(LockTargetException.class)
                    .hasMessageContaining("\"2020-01-02T03:04:05Z\"");
            alice.rollback();
        }
    }

    @EveryStrategy
    void aCharacterIsAnIdOfOneCharacter(LockStrategy strategy, Session alice) throws Exception {
        assertThat(row("thing", 'A')).isEqualTo(row("thing", "A"));
        assertThat(row("thing", Character.valueOf('A'))).isEqualTo(row("thing", "A"));
        createThing("char(1)", "'A'");
        assertThat(lock(alice, locks(strategy), forUpdate(row("thing", 'A'))).absentRows())
                .isEmpty();
        assertThat(isRowFree()).isEqualTo(strategy == LockStrategy.ADVISORY);
    }

    /** If a table has another id beside its primary key, idColumns says so. */
    @EveryStrategy
    void anIdOfAnotherKindIsRefused(LockStrategy strategy, RowLocks locks, Session alice) throws Exception {
        createThing("bigint", "7");
        for (LockKey key : List.of(row("thing", "ORD-7"), row("thing", "4Z"), row("thing", 1, "x"))) {
            assertThatThrownBy(() -> lock(alice, locks, forUpdate(key)))
                    .isInstanceOf(LockTargetException.class)
                    .hasMessageContaining("thing");
            assertThat(alice.advisoryLocks()).isZero();
        }
        alice.rollback();
        database.execute("alter table thing add number text", "update thing set number = 'ORD-7'");
        RowLocks byNumber = LockAccess.builder()
                .strategy(strategy)
                .idColumns("thing", "number")
                .build();
        assertThat(lock(alice, byNumber, forUpdate(row("thing", "ORD-7"))).isHeld())
                .isTrue();
    }

    @Test
    void withoutIdColumnsTheGivenTextIsTheKey(Session alice) throws Exception {
        database.execute("create table bare(id int)");
        LockResult result = lock(alice, locks(LockStrategy.ADVISORY), forUpdate(row("bare", "007")));
        assertThat(Held.of(result)).isEqualTo(Held.KEY_LOCKED);
    }

    /**
     * What has no ISO form stays as the server prints it; what is only blank cannot be a key, however many there are.
     */
    @EveryStrategy.WithKey
    void aClaimTakesRowsWhoseIdsNoProgramGives(LockStrategy strategy, Session alice) throws Exception {
        int table = 0;
        for (String columns : List.of(
                "timestamptz|'infinity'),('-infinity'),('0044-03-15 10:00 BC'),('2026-07-01 09:30+02'",
                "timestamp|'infinity'),('0044-03-15 10:00 BC'),('12026-07-01 09:30'),('2026-07-01 09:30'",
                "date|'infinity'),('0044-03-15 BC'),('12026-07-01'),('2026-07-01'",
                "numeric|7.50),('NaN'),('Infinity'),(7")) {
            String name = "odd" + table++;
            String[] parts = columns.split("\\|");
            database.execute(
                    "create table " + name + "(id " + parts[0] + " primary key)",
                    "insert into " + name + " values (" + parts[1] + ")");
            List<Integer> claimed =
                    alice.run(c -> locks(strategy).in(c).claim(Claim.from(name).limit(9), found -> 1));
            assertThat(claimed).as(parts[0]).hasSize(4);
        }
    }

    /**
     * No key is made of types that may print a value in several ways, and none is needed where the row is locked.
     */
    @EveryStrategy
    void idsWithoutAKeyAreLockedByTheRowAlone(LockStrategy strategy, Session alice, Session bob) throws Exception {
        database.execute("create domain tags as int[]");
        bob.execute("set extra_float_digits = -3; set intervalstyle = iso_8601");
        bob.commit();
        for (List<String> id : List.of(
                List.of("tags", "{1,2}", "{1, 2}"),
                List.of("public.citext", "Ab", "aB"),
                List.of("boolean", "true", "t"),
                List.of("inet", "10.0.0.1", "10.0.0.1/32"),
                List.of("macaddr", "08:00:2b:01:02:03", "08-00-2B-01-02-03"),
                List.of("jsonb", "{\"a\": 1}", "{\"a\":1.0}"),
                List.of("int[]", "{1,2}", "[1:2]={1,2}"),
                List.of("float8", "0.30000000000000004", "3.0000000000000004e-1"),
                List.of("interval", "1 day -02:03:04", "P1DT-2H-3M-4S"),
                List.of("int4range", "[1,3)", "[1,2]"))) {
            database.execute("drop table if exists thing");
            createThing(id.get(0), "'" + id.get(1) + "'");
            for (Session.Body<?> way : ways(locks(strategy), row("thing", id.get(2)))) {
                if (strategy == LockStrategy.ROW) {
                    alice.run(way);
                    LockRequest both = forUpdate(rows("thing", id.subList(1, 3)));
                    assertThat(lock(alice, locks(strategy), both).isHeld()).isTrue();
                    assertThat(tryLock(bob, locks(strategy), forUpdate(row("thing", id.get(1)))))
                            .isFalse();
                } else {
                    for (Session.Body<?> call : List.<Session.Body<?>>of(
                            way,
                            c -> LockAccess.of(locks(strategy)).tables().check(c, "thing"),
                            c -> locks(strategy).in(c).claim(Claim.from("thing"), r -> 1))) {
                        assertThatThrownBy(() -> alice.run(call))
                                .isInstanceOf(LockTargetException.class)
                                .hasMessageContainingAll("thing", "column id of type", "Use strategy ROW");
                        assertThat(alice.advisoryLocks()).isZero();
                    }
                }
                assertThat(isRowFree()).isEqualTo(strategy != LockStrategy.ROW);
                alice.rollback();
                bob.rollback();
            }
        }
    }

    /** A running instance looks again before it refuses, and notices a type that has lost its keys. */
    @EveryStrategy.WithKey
    void aColumnThatGetsAnotherTypeIsLookedAtAgain(LockStrategy strategy, RowLocks locks, Session alice)
            throws Exception {
        createThing("float8", "7");
        Session.Body<?> lock = c -> locks.in(c).lock(forUpdate(row("thing", "7")));
        assertThatThrownBy(() -> alice.run(lock)).hasMessageContaining("strategy ROW");
        database.execute("alter table thing alter column id type text");
        alice.run(lock);
        assertThat(alice.advisoryLocks()).isOne();
        alice.rollback();
        database.execute("alter table thing alter column id type interval using id::interval");
        assertThatThrownBy(() -> alice.run(lock)).hasMessageContaining("strategy ROW");
        assertThat(alice.advisoryLocks()).isZero();
    }

    /** An instance that has seen dates, and one that sees timestamps, would have two keys of one row. */
    @EveryStrategy.WithKey
    void datesThatBecomeTimestampsHaveOneKey(LockStrategy strategy, Session alice, Session bob) throws Exception {
        createThing("date", "'2026-07-01'");
        LocalDate day = LocalDate.of(2026, 7, 1);
        RowLocks older = locks(strategy);
        lock(alice, older, forUpdate(row("thing", day)));
        alice.rollback();
        database.execute("alter table thing alter column id type timestamp");
        lock(bob, locks(strategy), forUpdate(row("thing", day.atStartOfDay())));
        assertThatThrownBy(() -> tryLock(alice, older, forUpdate(row("thing", day))))
                .isInstanceOf(LockTargetException.class)
                .hasMessageContaining("timestamp");
    }

    /** Text of another setting than Rowlock prints bytea in is another spelling. */
    @EveryStrategy.WithKey
    void bytesHaveOneKeyInWhateverWayASessionPrintsThem(LockStrategy strategy, Session alice, Session bob)
            throws Exception {
        createThing("bytea", "'\\x00ff'");
        bob.execute("set bytea_output = escape");
        bob.commit();
        LockKey key = row("thing", "\\x00ff");
        lock(alice, locks(strategy), forUpdate(key));
        assertThat(tryLock(bob, locks(strategy), forUpdate(key))).isFalse();
        assertThat((List<?>) bob.run(c -> locks(strategy).in(c).claim(Claim.from("thing"), row -> 1)))
                .isEmpty();
        for (String other : List.of("\\x00FF", "\\000\\377")) {
            assertThatThrownBy(() -> tryLock(bob, locks(strategy), forUpdate(row("thing", other))))
                    .isInstanceOf(LockTargetException.class)
                    .hasMessageContaining("lower-case hexadecimal");
        }
        alice.rollback();
        assertThat((List<?>) bob.run(c -> locks(strategy).in(c).claim(Claim.from("thing"), row -> 1)))
                .hasSize(1);
        assertThat(tryLock(alice, locks(strategy), forUpdate(key))).isFalse();
    }

    /** With array_nulls = off an array of nulls is one of texts. */
    @EveryStrategy.WithKey
    void aClaimOfNothingFindsNoRowNamedNull(LockStrategy strategy, Session alice, Session bob) throws Exception {
        createThing("text", "'NULL'");
        lock(alice, locks(LockStrategy.ADVISORY), forUpdate(row("thing", "NULL")));
        bob.execute("set array_nulls = off");
        assertThat((List<?>) bob.run(c -> locks(strategy).in(c).claim(Claim.from("thing"), row -> 1)))
                .isEmpty();
    }
}
