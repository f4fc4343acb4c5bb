package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Refusals.assertRefusal;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Doors;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Held;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Waits;
import org.rowlock.testing.Wire;

/** What cannot be locked is refused with an error that names it and says what to do; nothing stays locked. */
@Tag("long")
class BadInputTest {
    private static final LockKey KEY = row("account", 1);
    private static final RowMapper<String> FIRST = row -> row.getString(1);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            9,
            "create table keyless(id int, code text)",
            "insert into keyless values (1, 'one')",
            "create table pair(a int, b uuid, primary key (a, b))",
            "create table thing(id uuid primary key)",
            "create view account_view as select * from account",
            "create materialized view account_copy as select * from account",
            "create index account_index on account(balance)",
            "create sequence account_sequence",
            "create type account_type as (id int)");

    private static RowLocks given(LockStrategy strategy, String table, String column) {
        return LockAccess.builder().strategy(strategy).idColumns(table, column).build();
    }

    /** Each is a LockTargetException with the words; the transaction is usable if there was no error of the server. */
    private void assertTargetRefused(RowLocks locks, LockKey key, String... words) throws Exception {
        for (Session.Body<?> body : Doors.of(locks, key, KEY).values()) {
            Session session = database.session("asker");
            assertTargetRefused(session, body, words);
            session.close();
        }
    }

    private static LockTargetException assertTargetRefused(Session session, Session.Body<?> body, String... words)
            throws Exception {
        session.execute("select 1");
        Throwable thrown = catchThrowable(() -> session.run(body));
        assertThat(thrown).isInstanceOf(LockTargetException.class).hasMessageContainingAll(words);
        LockTargetException refusal = (LockTargetException) thrown;
        assertThat(session.advisoryLocks()).as(refusal.getMessage()).isZero();
        if (refusal.getCause() == null) {
            session.execute("select 1");
        }
        session.rollback();
        return refusal;
    }

    /** A key, the words of its refusal, and whether the strategy ADVISORY refuses it too. */
    private record Refused(String name, LockKey key, boolean always, String... words) {}

    static List<Refused> refused() {
        String advice = "Give an id that the column's type can hold";
        return List.of(
                new Refused("an unknown table", row("acount", 1), true, "acount", "does not exist", "search_path"),
                new Refused(
                        "an unknown table of a schema", row("public.acount", 1), true, "public.acount", "not exist"),
                new Refused("a name in quotes", row("\"Account\"", 1), true, "Account", "does not exist", "quotes"),
                new Refused("a UUID", row("acount", UUID.randomUUID()), true, "acount", "does not exist"),
                new Refused("an unknown schema", row("nowhere.account", 1), true, "nowhere", "does not exist"),
                new Refused(
                        "another database", row("elsewhere.public.account", 1), true, "elsewhere", "cross-database"),
                new Refused("a view", row("account_view", 1), true, "account_view", "view", "underlying table"),
                new Refused("a materialized view", row("account_copy", 1), true, "account_copy"),
                new Refused("an index", row("account_index", 1), true, "account_index"),
                new Refused("a sequence", row("account_sequence", 1), true, "account_sequence"),
                new Refused("a type", row("account_type", 1), true, "account_type"),
                new Refused("two parts", row("account", 1, 2), false, "account[1, 2]", "2 part(s)", "[id]"),
                new Refused("one part of two", row("pair", 1), false, "pair[1]", "1 part(s)", "[a, b]"),
                new Refused("three parts of two", row("pair", 1, 2, 3), false, "3 part(s)", "[a, b]"),
                new Refused("a large id", row("account", 3_000_000_000L), false, "account[3000000000]", advice),
                new Refused("no number", row("account", "abc"), false, "account[abc]", "integer", advice),
                new Refused("SQL", row("account", "1; drop table account"), false, "account[1; drop", advice),
                new Refused("no UUID", row("thing", "123-456"), false, "thing[123-456]", "uuid", advice),
                new Refused("no UUID in a pair", row("pair", 1, "x"), false, "pair[1, x]", "uuid", advice));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatCannotBeLockedIsNamed(Refused refused) throws Exception {
        for (LockStrategy strategy : LockStrategy.values()) {
            if (refused.always() || strategy != LockStrategy.ADVISORY) {
                assertTargetRefused(locks(strategy), refused.key(), refused.words());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "BOTH")
    void whatIsNoTableIsRefusedInRepeatableReadToo(LockStrategy strategy) throws Exception {
        RowLocks locks = given(strategy, "account_view", "id");
        for (LockWait wait : Waits.ALL) {
            Session alice = database.session("alice");
            alice.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThatThrownBy(() -> lock(alice, locks, Requests.waiting(forUpdate(row("account_view", 1)), wait)))
                    .isInstanceOf(LockTargetException.class)
                    .hasMessageContainingAll("account_view", "view", "underlying table");
            alice.rollback();
        }
    }

    @EveryStrategy
    void foreignTableIsRefused(LockStrategy strategy) throws Exception {
        String available = "select count(*) from pg_available_extensions where name = 'postgres_fdw'";
        assumeTrue(database.query(available).equals("1"), "skipped: this server has no postgres_fdw");
        String server = database.schema() + "_away";
        database.execute(
                "create extension postgres_fdw schema " + database.schema(),
                "create server " + server + " foreign data wrapper postgres_fdw",
                "create foreign table away(id int) server " + server);
        assertTargetRefused(locks(strategy), row("away", 1), "away");
    }

    /** FOR UPDATE of a view is possible in SQL, yet the key would be another than that of the underlying table. */
    @EveryStrategy
    void aViewWithIdColumnsGivenIsRefusedAllTheSame(LockStrategy strategy) throws Exception {
        RowLocks locks = given(strategy, "account_view", "id");
        if (strategy == LockStrategy.ROW) {
            Session alice = database.session("alice");
            LockResult result = lock(alice, locks, forUpdate(row("account_view", 1)));
            assertThat(Held.of(result)).isEqualTo(Held.ROW_LOCKED);
        } else {
            String[] words = {"account_view", "view", "underlying table"};
            assertTargetRefused(locks, row("account_view", 1), words);
            Claim claim =
                    Claim.from("account_view").where("id > 0").orderBy("id").limit(1);
            Session alice = database.session("alice");
            assertTargetRefused(alice, connection -> locks.in(connection).claim(claim, row -> 1), words);
            assertTargetRefused(
                    alice, c -> LockAccess.of(locks).calls().tables().check(c, "account_view"), words);
        }
    }

    @EveryStrategy.WithRow
    void tableWithoutPrimaryKeyNeedsIdColumns(LockStrategy strategy, Session alice) throws Exception {
        assertTargetRefused(locks(strategy), row("keyless", 1), "keyless", "no primary key", "idColumns");
        RowLocks given = given(strategy, "keyless", "code");
        LockResult result = lock(alice, given, forUpdate(row("keyless", "one")));
        assertThat(result.absentRows()).isEmpty();
        result = lock(alice, given, forUpdate(row("keyless", "two")).allowAbsent());
        assertThat(result.absentRows()).isNotEmpty();
    }

    @EveryStrategy.WithRow
    void wrongIdColumnsAreNamed(LockStrategy strategy) throws Exception {
        for (String column : List.of("nothing", "ID", "\"id\"", "id; drop table account", "ctid or true")) {
            RowLocks locks = given(strategy, "account", column);
            assertTargetRefused(locks, KEY, "account", column, "idColumns");
        }
        assertThat(database.query("select count(*) from account")).isEqualTo("9");
    }

    /** The three ways of missing a privilege that FOR UPDATE has too. */
    @EveryStrategy
    void missingPrivilegeSaysWhatToGrant(LockStrategy strategy) throws Exception {
        String schema = database.schema();
        LockKey key = row(schema + ".account", 1);
        for (Session.Body<?> body : List.<Session.Body<?>>of(
                c -> locks(strategy).in(c).lock(forUpdate(key)),
                c -> locks(strategy).in(c).lock(LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(key))),
                c -> locks(strategy).in(c).lock(forUpdate(key).noWait()),
                c -> locks(strategy).in(c).lock(forUpdate(List.of(key, row(schema + ".account", 2)))),
                c -> locks(strategy).in(c).lockAndRead(forUpdate(key), "select 1", FIRST))) {
            String role = database.role();
            database.execute("revoke usage on schema " + schema + " from " + role);
            Session reader = database.session("reader");
            reader.execute("set role " + role);
            reader.commit();
            assertPrivilegeMissing(reader, body, "schema " + schema, "USAGE");
            database.execute("grant usage on schema " + schema + " to " + role);
            assertPrivilegeMissing(reader, body, "account", "UPDATE");
            database.execute("grant select on account to " + role);
            assertPrivilegeMissing(reader, body, "account", "UPDATE");
            // One column is enough, for FOR UPDATE and so for the lock that stands for it.
            database.execute("grant update (balance) on account to " + role);
            reader.run(body);
            reader.rollback();
            reader.close();
        }
    }

    private static void assertPrivilegeMissing(Session reader, Session.Body<?> body, String object, String grant)
            throws Exception {
        LockTargetException refusal = assertTargetRefused(reader, body, "permission denied", object, "Grant", grant);
        assertThat(refusal.sqlState()).contains("42501");
    }

    @EveryStrategy
    void nullsAreNamedAndTheTransactionStaysUsable(RowLocks locks, Session alice) throws Exception {
        String select = "select 1";
        assertIllegal(alice, "request is null", c -> locks.in(c).lock(null));
        assertIllegal(alice, "request is null", c -> locks.in(c).tryLock(null).isHeld());
        assertIllegal(alice, "SQL of the query is null", c -> locks.in(c).lockAndRead(forUpdate(KEY), null, FIRST));
        assertIllegal(alice, "SQL of the query is blank", c -> locks.in(c).lockAndRead(forUpdate(KEY), " ", FIRST));
        RowMapper<Integer> none = null;
        assertIllegal(alice, "row mapper is null", c -> locks.in(c).lockAndRead(forUpdate(KEY), select, none));
        Object[] binds = null;
        assertIllegal(alice, "binds are null", c -> locks.in(c).lockAndRead(forUpdate(KEY), select, FIRST, binds));
        assertIllegal(alice, "claim is null", c -> locks.in(c).claim(null, FIRST));
        assertIllegal(alice, "row mapper is null", c -> locks.in(c).claim(Claim.from("account"), null));
    }

    private static void assertIllegal(Session session, String words, Session.Body<?> body) throws Exception {
        session.execute("select 1");
        List<String> sent = new ArrayList<>();
        assertThatThrownBy(() -> session.run(c -> body.run(Wire.listen(c, sent))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
        assertThat(sent).isEmpty();
        assertThat(session.advisoryLocks()).isZero();
        session.execute("select 1");
    }

    @EveryStrategy.WithKey
    void aThousandAndOneKeysAreRefusedBeforeAnySql(RowLocks locks, Session alice) throws Exception {
        List<LockKey> keys = ids(1_001);
        for (Session.Body<?> body : List.<Session.Body<?>>of(
                c -> locks.in(c).lock(forUpdate(keys)),
                c -> locks.in(c).tryLock(forUpdate(keys)).isHeld(),
                c -> locks.in(c).claim(Claim.from("account").limit(1_001), FIRST))) {
            List<String> sent = new ArrayList<>();
            assertRefusal(LockTargetException.class, "54000", () -> alice.run(c -> body.run(Wire.listen(c, sent))))
                    .hasMessageContaining("1001")
                    .hasMessageContainingAll("1000", "account", "lockBudget()");
            assertThat(sent).isEmpty();
            alice.execute("select 1");
        }
    }

    /** Row locks have no place in the lock table, so there is nothing to budget. */
    @Test
    void rowLocksHaveNoBudget(Session alice) throws Exception {
        LockResult result =
                lock(alice, locks(LockStrategy.ROW), forUpdate(ids(3_000)).allowAbsent());
        assertThat(result.absentRows()).hasSize(2_991);
    }

    @EveryStrategy.WithKey
    void theBudgetCanBeRaisedAndLowered(LockStrategy strategy, Session alice) throws Exception {
        RowLocks more =
                LockAccess.builder().strategy(strategy).lockBudget(1_500).build();
        lock(alice, more, forUpdate(ids(1_500)).allowAbsent());
        assertThat(alice.advisoryLocks()).isEqualTo(1_500);
        alice.rollback();
        RowLocks less = LockAccess.builder().strategy(strategy).lockBudget(2).build();
        lock(alice, less, forUpdate(ids(2)));
        assertThatThrownBy(() -> lock(alice, less, forUpdate(ids(3))))
                .isInstanceOf(LockTargetException.class)
                .hasMessageContaining("the budget is 2");
        assertThat(alice.advisoryLocks()).isEqualTo(2);
    }

    private static List<LockKey> ids(int count) {
        return LockKey.rows("account", IntStream.rangeClosed(1, count).boxed().toList());
    }

    /** Known by a function of its own; only its name is here. */
    @Test
    void aClaimOnCitusIsRefusedByName(Session session) throws Exception {
        RowLocks locks = LockAccess.builder()
                .strategy(LockStrategy.BOTH)
                .strategy("pair", LockStrategy.ROW)
                .build();
        session.execute("set allow_system_table_mods = on");
        session.execute(
                "create function pg_catalog.create_intermediate_result() returns int language sql as 'select 1'");
        try {
            session.commit();
            for (String table : List.of("account", "pair")) {
                assertThatThrownBy(() -> session.run(c -> locks.in(c).claim(Claim.from(table), FIRST)))
                        .isInstanceOf(LockTargetException.class)
                        .hasMessageContainingAll("Citus", "SKIP LOCKED");
                assertThat(session.advisoryLocks()).isZero();
                session.rollback();
            }
        } finally {
            session.execute("drop function pg_catalog.create_intermediate_result()");
            session.commit();
        }
    }

    /** What is looked up again after a failure must not hide it. */
    @EveryStrategy.WithKey
    void aClaimFromAnUnknownTableNamesIt(LockStrategy strategy, Session session) throws Exception {
        for (boolean begun : List.of(false, true)) {
            if (begun) {
                session.execute("select 1");
            }
            assertThat(catchThrowable(
                            () -> session.run(c -> locks(strategy).in(c).claim(Claim.from("nope"), FIRST))))
                    .isInstanceOf(LockTargetException.class)
                    .hasMessageContaining("nope");
            session.rollback();
        }
    }
}
