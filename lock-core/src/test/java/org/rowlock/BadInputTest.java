package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.RowLockMode.FOR_UPDATE;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.testing.Held;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
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

    private static RowLocks locks(LockStrategy strategy) {
        return LockAccess.builder().strategy(strategy).build();
    }

    static Stream<Arguments> strategies() {
        return Arrays.stream(LockStrategy.values()).map(Arguments::of);
    }

    /** The ways to name one key. */
    private static List<Session.Body<?>> calls(RowLocks locks, LockKey key) {
        LockWait atMost = LockWait.atMost(Duration.ofSeconds(9));
        return List.of(
                c -> locks.in(c).lock(forUpdate(key)),
                c -> locks.in(c).lock(forUpdate(key).noWait()),
                c -> locks.in(c).lock(forUpdate(key).waiting(atMost)),
                c -> locks.in(c).lock(forUpdate(List.of(key, KEY))),
                c -> locks.in(c).tryLock(forUpdate(List.of(key, KEY))).isHeld(),
                c -> locks.in(c).lock(forUpdate(List.of(key, KEY)).waiting(atMost)),
                c -> locks.in(c).lockAndRead(forUpdate(key), "select 1", FIRST),
                c -> locks.in(c).lockAndRead(forUpdate(key).waiting(atMost), "select 1", FIRST));
    }

    /** Each is a LockTargetException with the words; the transaction is usable if there was no error of the server. */
    private void assertTargetRefused(RowLocks locks, LockKey key, String... words) throws Exception {
        for (Session.Body<?> body : calls(locks, key)) {
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

    @ParameterizedTest
    @EnumSource
    void unknownTableNamesIt(LockStrategy strategy) throws Exception {
        assertTargetRefused(locks(strategy), row("acount", 1), "acount", "does not exist", "search_path");
        assertTargetRefused(locks(strategy), row("public.acount", 1), "public.acount", "does not exist");
        assertTargetRefused(locks(strategy), row("\"Account\"", 1), "Account", "does not exist", "quotes");
        assertTargetRefused(locks(strategy), row("acount", UUID.randomUUID()), "acount", "does not exist");
    }

    @ParameterizedTest
    @EnumSource
    void unknownSchemaNamesIt(LockStrategy strategy) throws Exception {
        assertTargetRefused(locks(strategy), row("nowhere.account", 1), "nowhere", "does not exist");
    }

    @ParameterizedTest
    @EnumSource
    void anotherDatabaseIsNotReachable(LockStrategy strategy) throws Exception {
        assertTargetRefused(locks(strategy), row("elsewhere.public.account", 1), "elsewhere", "cross-database");
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNoTableIsNamed(LockStrategy strategy) throws Exception {
        for (String name :
                List.of("account_view", "account_copy", "account_index", "account_sequence", "account_type")) {
            assertTargetRefused(locks(strategy), row(name, 1), name);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "BOTH")
    void whatIsNoTableIsRefusedInRepeatableReadToo(LockStrategy strategy) throws Exception {
        RowLocks locks = LockAccess.builder()
                .strategy(strategy)
                .idColumns("account_view", "id")
                .build();
        for (LockWait wait : List.of(LockWait.forever(), LockWait.noWait(), LockWait.atMost(Duration.ofSeconds(30)))) {
            Session alice = database.session("alice");
            alice.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThatThrownBy(() -> alice.run(c ->
                            locks.in(c).lock(forUpdate(row("account_view", 1)).waiting(wait))))
                    .isInstanceOf(LockTargetException.class)
                    .hasMessageContainingAll("account_view", "view", "underlying table");
            alice.rollback();
        }
    }

    /** Neither a primary key nor another strategy would help: what helps is to name the underlying table. */
    @ParameterizedTest
    @EnumSource
    void aViewIsToldFromATableWithoutPrimaryKey(LockStrategy strategy) throws Exception {
        database.execute("create view shown as select * from account");
        assertTargetRefused(locks(strategy), row("shown", 1), "shown", "view", "underlying table");
    }

    @ParameterizedTest
    @EnumSource
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

    /** FOR UPDATE of a view is possible in SQL, yet the key would be another than that of the table behind it. */
    @ParameterizedTest
    @EnumSource
    void aViewWithIdColumnsGivenIsRefusedAllTheSame(LockStrategy strategy) throws Exception {
        RowLocks locks = LockAccess.builder()
                .strategy(strategy)
                .idColumns("account_view", "id")
                .build();
        if (strategy == LockStrategy.ROW) {
            Session alice = database.session("alice");
            LockResult result = alice.run(c -> locks.in(c).lock(forUpdate(row("account_view", 1))));
            assertThat(result).extracting(Held::of).isEqualTo(Held.ROW_LOCKED);
        } else {
            assertTargetRefused(locks, row("account_view", 1), "account_view", "view", "underlying table");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "BOTH"})
    void tableWithoutPrimaryKeyNeedsIdColumns(LockStrategy strategy) throws Exception {
        assertTargetRefused(locks(strategy), row("keyless", 1), "keyless", "no primary key", "idColumns");
        RowLocks given = LockAccess.builder()
                .strategy(strategy)
                .idColumns("keyless", "code")
                .build();
        Session alice = database.session("alice");
        LockResult result = alice.run(c -> given.in(c).lock(forUpdate(row("keyless", "one"))));
        assertThat(result.absentRows()).isEmpty();
        result =
                alice.run(c -> given.in(c).lock(forUpdate(row("keyless", "two")).allowAbsent()));
        assertThat(result.absentRows()).isNotEmpty();
    }

    @Test
    void advisoryNeedsNoPrimaryKey() throws Exception {
        Session alice = database.session("alice");
        LockResult result = alice.run(c -> locks(LockStrategy.ADVISORY).in(c).lock(forUpdate(row("keyless", 1))));
        assertThat(result).extracting(Held::of).isEqualTo(Held.KEY_LOCKED);
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "BOTH"})
    void wrongIdColumnsAreNamed(LockStrategy strategy) throws Exception {
        for (String column : List.of("nothing", "ID", "\"id\"", "id; drop table account", "ctid or true")) {
            RowLocks locks = LockAccess.builder()
                    .strategy(strategy)
                    .idColumns("account", column)
                    .build();
            assertTargetRefused(locks, KEY, "account", column, "idColumns");
        }
        assertThat(database.query("select count(*) from account")).isEqualTo("9");
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "BOTH"})
    void wrongNumberOfIdPartsNamesTheColumns(LockStrategy strategy) throws Exception {
        assertTargetRefused(locks(strategy), row("account", 1, 2), "account[1, 2]", "2 part(s)", "[id]");
        assertTargetRefused(locks(strategy), row("pair", 1), "pair[1]", "1 part(s)", "[a, b]");
        assertTargetRefused(locks(strategy), row("pair", 1, 2, 3), "3 part(s)", "[a, b]");
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "BOTH"})
    void anIdThatTheColumnCannotHoldIsNamed(LockStrategy strategy) throws Exception {
        String advice = "Give an id that the column's type can hold";
        assertTargetRefused(locks(strategy), row("account", 3_000_000_000L), "account[3000000000]", advice);
        assertTargetRefused(locks(strategy), row("account", "abc"), "account[abc]", "integer", advice);
        assertTargetRefused(locks(strategy), row("account", "1; drop table account"), "account[1; drop", advice);
        assertTargetRefused(locks(strategy), row("thing", "123-456"), "thing[123-456]", "uuid", advice);
        assertTargetRefused(locks(strategy), row("pair", 1, "x"), "pair[1, x]", "uuid", advice);
    }

    /** Also with ADVISORY, whose locks take it for an id of something else, and outside of a transaction. */
    @ParameterizedTest
    @EnumSource
    void anIdIsCheckedWithoutALock(LockStrategy strategy) throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            LockAccess locks = LockAccess.of(locks(strategy));
            locks.checkId(connection, row("account", 1));
            locks.checkId(connection, row("keyless", 1, 2));
            assertThatThrownBy(() -> locks.checkId(connection, row("account", "4Z")))
                    .isInstanceOf(LockTargetException.class)
                    .hasMessageContainingAll("account[4Z]", "is not an integer");
            assertThatThrownBy(() -> locks.checkId(connection, row("account", 1, 2)))
                    .isInstanceOf(LockTargetException.class)
                    .hasMessageContainingAll("2 part(s)", "[id]");
        }
    }

    /** The three ways of missing a privilege that FOR UPDATE has too. */
    @ParameterizedTest
    @EnumSource
    void missingPrivilegeSaysWhatToGrant(LockStrategy strategy) throws Exception {
        String schema = database.schema();
        String role = schema + "_reader";
        database.execute("create role " + role);
        try {
            LockKey key = row(schema + ".account", 1);
            for (Session.Body<?> body : List.<Session.Body<?>>of(
                    c -> locks(strategy).in(c).lock(forUpdate(key)),
                    c -> locks(strategy).in(c).lock(LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(key))),
                    c -> locks(strategy).in(c).lock(forUpdate(key).noWait()),
                    c -> locks(strategy).in(c).lock(forUpdate(List.of(key, row(schema + ".account", 2)))),
                    c -> locks(strategy).in(c).lockAndRead(forUpdate(key), "select 1", FIRST))) {
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
                database.execute("drop owned by " + role);
                reader.close();
            }
        } finally {
            database.execute("drop owned by " + role, "drop role " + role);
        }
    }

    private static void assertPrivilegeMissing(Session reader, Session.Body<?> body, String object, String grant)
            throws Exception {
        LockTargetException refusal = assertTargetRefused(reader, body, "permission denied", object, "Grant", grant);
        assertThat(refusal.sqlState()).contains("42501");
    }

    @ParameterizedTest
    @EnumSource
    void nullsAreNamedAndTheTransactionStaysUsable(LockStrategy strategy) throws Exception {
        RowLocks locks = locks(strategy);
        Session alice = database.session("alice");
        assertIllegal(alice, "several keys, is null", c -> locks.in(c).lock(forUpdate((LockKey) null)));
        assertIllegal(
                alice,
                "several keys, is null",
                c -> locks.in(c).tryLock(forUpdate((LockKey) null)).isHeld());
        assertIllegal(alice, "mode is null", c -> locks.in(c).lock(LockRequest.of(null, List.of(KEY))));
        assertIllegal(
                alice,
                "mode is null",
                c -> locks.in(c)
                        .tryLock(LockRequest.of((RowLockMode) null, List.of(KEY)))
                        .isHeld());
        assertIllegal(
                alice, "wait is null", c -> locks.in(c).lock(forUpdate(KEY).waiting(null)));
        assertIllegal(
                alice,
                "null",
                c -> locks.in(c).tryLock(forUpdate(KEY).atMost((Duration) null)).isHeld());
        assertIllegal(
                alice,
                "positive",
                c -> locks.in(c)
                        .tryLock(forUpdate(KEY).atMost(Duration.ofMillis(-1)))
                        .isHeld());
        assertIllegal(alice, "keys are null", c -> locks.in(c).lock(forUpdate((List<LockKey>) null)));
        assertIllegal(alice, "keys are empty", c -> locks.in(c).lock(forUpdate(List.of())));
        assertIllegal(
                alice,
                "keys are empty",
                c -> locks.in(c).tryLock(forUpdate(List.of())).isHeld());
        assertIllegal(alice, "null", c -> locks.in(c).lock(forUpdate(Arrays.asList(KEY, null))));
        assertIllegal(
                alice,
                "mode is null",
                c -> locks.in(c).lock(LockRequest.of(null, List.of(KEY)).noWait()));
        assertIllegal(
                alice, "wait is null", c -> locks.in(c).lock(forUpdate(KEY).waiting(null)));
        LockWait noWait = LockWait.noWait();
        assertIllegal(
                alice, "request is null", c -> locks.in(c).lock(forUpdate(KEY).and(null)));
        assertIllegal(alice, "request is null", c -> locks.in(c).lock(null));
        assertIllegal(
                alice,
                "several keys, is null",
                c -> locks.in(c)
                        .lock(Requests.of(Collections.singletonMap(null, FOR_UPDATE))
                                .waiting(noWait)));
        assertIllegal(
                alice,
                "mode is null",
                c -> locks.in(c)
                        .lock(Requests.of(Collections.singletonMap(KEY, null)).waiting(noWait)));
        assertIllegal(
                alice,
                "wait is null",
                c -> locks.in(c).lock(Requests.of(Map.of(KEY, FOR_UPDATE)).waiting(null)));
        assertIllegal(
                alice,
                "several keys, is null",
                c -> locks.in(c).lockAndRead(forUpdate((LockKey) null), "select 1", FIRST));
        assertIllegal(alice, "query is null", c -> locks.in(c).lockAndRead(forUpdate(KEY), null));
        assertIllegal(alice, "SQL of the query is null", c -> locks.in(c).lockAndRead(forUpdate(KEY), null, FIRST));
        assertIllegal(alice, "SQL of the query is blank", c -> locks.in(c).lockAndRead(forUpdate(KEY), " ", FIRST));
        assertIllegal(
                alice,
                "row mapper is null",
                c -> locks.in(c).lockAndRead(forUpdate(KEY), "select 1", (RowMapper<Integer>) null));
        assertIllegal(
                alice,
                "binds are null",
                c -> locks.in(c).lockAndRead(forUpdate(KEY), "select 1", FIRST, (Object[]) null));
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

    @Test
    void inTransactionRefusesNullsBeforeItBorrowsAConnection() {
        RowLocks locks = LockAccess.builder().build();
        assertThatThrownBy(() -> locks.on(null).lock(forUpdate(KEY)).inTransaction(tx -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("DataSource is null");
        assertThatThrownBy(() -> locks.on(database.dataSource())
                        .lock(forUpdate(KEY))
                        .inTransaction((LockedTransaction.Work<Void, Integer, RuntimeException>) null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("work is null");
        LockWait wait = LockWait.forever();
        List<Collection<LockKey>> wrong = Arrays.asList(null, List.of(), Arrays.asList(KEY, null));
        for (Collection<LockKey> keys : wrong) {
            assertThatThrownBy(() -> locks.on(database.dataSource())
                            .lock(forUpdate(keys).waiting(wait))
                            .inTransaction(tx -> 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("key");
        }
        assertThatThrownBy(() -> locks.on(database.dataSource())
                        .lock(forUpdate((LockKey) null))
                        .inTransaction(tx -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("key");
        assertThatThrownBy(() -> locks.on(database.dataSource())
                        .lock(LockRequest.of(null, List.of(KEY)).waiting(wait))
                        .inTransaction(tx -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mode is null");
        assertThatThrownBy(() -> locks.on(database.dataSource())
                        .lock(forUpdate(KEY).waiting(null))
                        .inTransaction(tx -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("wait is null");
    }

    @ParameterizedTest
    @EnumSource
    void wrongParameterCountIsRefusedAndNothingIsLocked(LockStrategy strategy) throws Exception {
        RowLocks locks = locks(strategy);
        Session alice = database.session("alice");
        alice.run(c -> locks.in(c).lock(forUpdate(row("account", 9))));
        int before = alice.advisoryLocks();
        for (Session.Body<?> body : List.<Session.Body<?>>of(
                c -> locks.in(c).lockAndRead(forUpdate(KEY), "select 1 where 1 = ?", FIRST),
                c -> locks.in(c).lockAndRead(forUpdate(KEY), "select 1 where 1 = ?", FIRST, 1, 2),
                c -> locks.in(c).lockAndRead(forUpdate(KEY), "select 1", FIRST, 1),
                c -> locks.in(c).lockAndRead(forUpdate(KEY).noWait(), "select ?, ?", FIRST, 1))) {
            assertThatThrownBy(() -> alice.run(body))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bind value")
                    .hasMessageContaining("select");
            assertThat(alice.advisoryLocks()).isEqualTo(before);
            alice.execute("select 1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aQueryOfSeveralStatementsOrWithoutRowsIsRefused(LockStrategy strategy) throws Exception {
        RowLocks locks = locks(strategy);
        for (String sql : List.of(
                "select 1; select 2", "update account set balance = 1 where id = 1", "select 1; delete from account")) {
            Session alice = database.session("alice");
            assertThatThrownBy(() -> alice.run(c -> locks.in(c).lockAndRead(forUpdate(KEY), sql, FIRST)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("roll the transaction back");
            alice.rollback();
            assertThat(alice.advisoryLocks()).isZero();
            alice.close();
        }
        // It ends the transaction of its own accord, and the lock with it.
        Session bob = database.session("bob");
        assertThatThrownBy(() -> bob.run(c -> locks.in(c).lockAndRead(forUpdate(KEY), "commit", FIRST)))
                .isInstanceOf(IllegalArgumentException.class);
        bob.rollback();
        assertThat(bob.advisoryLocks()).isZero();
        assertThat(database.query("select count(*) from account where balance = 0"))
                .isEqualTo("9");
    }

    @ParameterizedTest
    @EnumSource(names = {"ADVISORY", "BOTH"})
    void aThousandAndOneKeysAreRefusedBeforeAnySql(LockStrategy strategy) throws Exception {
        RowLocks locks = locks(strategy);
        Session alice = database.session("alice");
        List<LockKey> keys = ids(1_001);
        for (Session.Body<?> body : List.<Session.Body<?>>of(
                c -> locks.in(c).lock(forUpdate(keys)),
                c -> locks.in(c).tryLock(forUpdate(keys)).isHeld(),
                c -> locks.in(c).claim(Claim.from("account").limit(1_001), FIRST))) {
            List<String> sent = new ArrayList<>();
            LockTargetException refusal = catchThrowableOfType(
                    LockTargetException.class, () -> alice.run(c -> body.run(Wire.listen(c, sent))));
            assertThat(refusal).isNotNull();
            assertThat(refusal.sqlState()).contains("54000");
            assertThat(refusal).hasMessageContaining("1001");
            assertThat(refusal)
                    .hasMessageContaining("1000")
                    .hasMessageContaining("account")
                    .hasMessageContaining("lockBudget()");
            assertThat(sent).isEmpty();
            alice.execute("select 1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aThousandDistinctKeysAreFine(LockStrategy strategy) throws Exception {
        Session alice = database.session("alice");
        List<LockKey> keys = new ArrayList<>(ids(1_000));
        keys.addAll(ids(1_000));
        LockResult result =
                alice.run(c -> locks(strategy).in(c).lock(forUpdate(keys).allowAbsent()));
        assertThat(RequestParts.of(forUpdate(keys)).keys()).hasSize(1_000);
        assertThat(result.absentRows()).hasSize(strategy == LockStrategy.ADVISORY ? 0 : 991);
        assertThat(alice.advisoryLocks()).isEqualTo(strategy == LockStrategy.ROW ? 0 : 1_000);
    }

    /** Row locks have no place in the lock table, so there is nothing to budget. */
    @Test
    void rowLocksHaveNoBudget() throws Exception {
        Session alice = database.session("alice");
        LockResult result = alice.run(
                c -> locks(LockStrategy.ROW).in(c).lock(forUpdate(ids(3_000)).allowAbsent()));
        assertThat(result.absentRows()).hasSize(2_991);
    }

    @ParameterizedTest
    @EnumSource(names = {"ADVISORY", "BOTH"})
    void theBudgetCanBeRaisedAndLowered(LockStrategy strategy) throws Exception {
        Session alice = database.session("alice");
        RowLocks more =
                LockAccess.builder().strategy(strategy).lockBudget(1_500).build();
        alice.run(c -> more.in(c).lock(forUpdate(ids(1_500)).allowAbsent()));
        assertThat(alice.advisoryLocks()).isEqualTo(1_500);
        alice.rollback();
        RowLocks less = LockAccess.builder().strategy(strategy).lockBudget(2).build();
        alice.run(c -> less.in(c).lock(forUpdate(ids(2))));
        assertThatThrownBy(() -> alice.run(c -> less.in(c).lock(forUpdate(ids(3)))))
                .isInstanceOf(LockTargetException.class)
                .hasMessageContaining("the budget is 2");
        assertThat(alice.advisoryLocks()).isEqualTo(2);
    }

    private static List<LockKey> ids(int count) {
        return LockKey.rows("account", IntStream.rangeClosed(1, count).boxed().toList());
    }

    /** Known by a function of its own; only its name is here. */
    @Test
    void aClaimOnCitusIsRefusedByName() throws Exception {
        RowLocks locks = LockAccess.builder()
                .strategy(LockStrategy.BOTH)
                .strategy("pair", LockStrategy.ROW)
                .build();
        Session session = database.session("claimer");
        session.execute("set allow_system_table_mods = on");
        session.execute(
                "create function pg_catalog.create_intermediate_result() returns int language sql as 'select 1'");
        try {
            session.commit();
            for (String table : List.of("account", "pair")) {
                assertThatThrownBy(() -> session.run(c -> locks.in(c).claim(Claim.from(table), FIRST)))
                        .isInstanceOf(LockTargetException.class)
                        .hasMessageContaining("Citus")
                        .hasMessageContaining("SKIP LOCKED");
                assertThat(session.advisoryLocks()).isZero();
                session.rollback();
            }
        } finally {
            session.execute("drop function pg_catalog.create_intermediate_result()");
            session.commit();
        }
    }

    /** What is looked up again after a failure must not hide it. */
    @ParameterizedTest
    @EnumSource(names = {"BOTH", "ADVISORY"})
    void aClaimFromAnUnknownTableNamesIt(LockStrategy strategy) throws Exception {
        Session session = database.session("claimer");
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
