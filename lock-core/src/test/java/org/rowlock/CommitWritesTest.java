package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.assertIllegal;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Refusals.assertRefusal;
import static org.rowlock.testing.Refusals.state;
import static org.rowlock.testing.TestDatabase.begin;
import static org.rowlock.testing.TestDatabase.execute;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.servers.DriverModesTest;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.ObservedDataSource;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Pools;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Waits;

/** Writes that are sent with the COMMIT: all or nothing, as with a COMMIT of its own, in a round trip less for each. */
class CommitWritesTest {
    private static final LockKey KEY = LockKey.row("account", 1);
    private static final String ADD = "update account set balance = balance + ? where id = ?";
    private static final String ENTRY = "insert into entry(account, amount) values (?, ?)";

    /** The order of its events is that of the calls. */
    private static final List<Throwable> PROXIES_THROW =
            List.of(new UnsupportedOperationException("the proxy fails"), new SQLException("the proxy fails"));

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance bigint not null default 0 check (balance >= 0))",
            "insert into account select g from generate_series(1, 9) g",
            "create table entry(id int generated always as identity primary key, account int references account"
                    + " deferrable initially deferred, amount bigint, note text, at timestamptz, ref uuid)");

    private Connection connection;
    private DataSource dataSource;

    @BeforeEach
    void connect() throws SQLException {
        connection = database.session("own").connection();
        connection.setAutoCommit(true);
        dataSource = OneConnection.of(connection);
    }

    /** The ways for writes to be sent, each with an update of the row in the work before where there is any. */
    private enum Way {
        WORK,
        QUERY,
        EXECUTE,
        OWN_CONNECTION;

        private static final String BEFORE = "update account set balance = balance + 100 where id = 9";

        void send(RowLocks locks, DataSource from, Consumer<CommitWrites> writes) throws SQLException {
            LockOperation operation = locks.on(from).lock(forUpdate(KEY));
            CommitWrites atCommit = new CommitWrites();
            switch (this) {
                case WORK ->
                    operation.useTransaction(tx -> {
                        execute(tx.connection(), BEFORE);
                        writes.accept(tx.atCommit());
                    });
                case QUERY ->
                    operation
                            .read(BEFORE + " returning balance", row -> row.getLong(1))
                            .useTransaction(tx -> {
                                writes.accept(tx.atCommit());
                            });
                case EXECUTE -> {
                    writes.accept(atCommit);
                    operation.execute(atCommit);
                }
                case OWN_CONNECTION -> {
                    try (Connection connection = begin(from)) {
                        TransactionLocks tx = locks.in(connection);
                        tx.lock(forUpdate(KEY));
                        execute(connection, BEFORE);
                        writes.accept(atCommit);
                        tx.commit(atCommit);
                    }
                }
            }
        }

        /** The same with the defaults. */
        void send(DataSource from, Consumer<CommitWrites> writes) throws SQLException {
            send(LockAccess.builder().build(), from, writes);
        }
    }

    private String balance(int id) throws SQLException {
        return database.query("select balance from account where id = " + id);
    }

    private String entries() throws SQLException {
        return database.query("select count(*) from entry");
    }

    /** Nothing is stored, and the connection has no transaction that a later commit could store. */
    private void assertNothingStored() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
        assertThat(database.query("select sum(balance) from account")).isEqualTo("0");
        assertThat(entries()).isEqualTo("0");
        assertIdle(connection);
    }

    private void assertIdle(Connection own) throws SQLException {
        assertThat(database.query("select state from pg_stat_activity where pid = "
                        + own.unwrap(PGConnection.class).getBackendPID()))
                .isEqualTo("idle");
    }

    @EveryStrategy
    void theyAreStoredTogether(LockStrategy strategy, Way way) throws Exception {
        List<CommitWrite> sent = new ArrayList<>();
        way.send(locks(strategy), dataSource, atCommit -> {
            sent.add(atCommit.add(ADD, 5, 1).expectOneRow());
            sent.add(atCommit.add(ENTRY, 1, 5L));
            sent.add(atCommit.add("update account set balance = balance * 2 where id < ?", 4));
        });
        assertThat(balance(1)).isEqualTo("10");
        assertThat(balance(9)).isEqualTo(way == Way.EXECUTE ? "0" : "100");
        assertThat(entries()).isEqualTo("1");
        assertThat(sent.stream().map(CommitWrite::count)).containsExactly(1L, 1L, 3L);
        assertThat(connection.unwrap(PGConnection.class).getBackendPID()).isPositive();
    }

    /** The server would wait until its rows are read, and the driver until the next write is sent. */
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @ParameterizedTest
    @ValueSource(
            strings = {
                "update account set balance = 5 where id = 1 returning repeat('x', 16777216)",
                "select repeat('x', 16777216)"
            })
    void aLargeWriteIsSentAfterLargeRowsAreRead(String sql) throws Exception {
        for (Way way : Way.values()) {
            List<CommitWrite> sent = new ArrayList<>();
            way.send(locks(LockStrategy.ROW), dataSource, atCommit -> {
                sent.add(atCommit.add(sql));
                sent.add(atCommit.add("insert into entry(note) values (?)", "y".repeat(1 << 24)));
            });
            assertThat(sent.get(0).rows()).hasSize(1);
        }
        assertThat(entries()).isEqualTo(String.valueOf(Way.values().length));
    }

    @EveryStrategy
    void aWrongNumberOfRowsStoresNothing(LockStrategy strategy, Way way) throws Exception {
        assertRefusal(
                        UnexpectedRowCountException.class,
                        "P0002",
                        () -> way.send(locks(strategy), dataSource, atCommit -> {
                            atCommit.add(ADD, 5, 1).expectOneRow();
                            atCommit.add(ADD, 5, 77).expectOneRow();
                        }))
                .hasMessageContainingAll("write 2 of 2", "have changed 1 row(s), but changed 0", ADD)
                .cause()
                .as("what the server's log says too")
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(
                        "write 2, execution 1, was to change 1 row(s), found 0; rolled back, as the application asked");
        assertNothingStored();
        assertRefusal(
                        UnexpectedRowCountException.class,
                        "P0003",
                        () -> way.send(
                                locks(strategy),
                                dataSource,
                                atCommit -> atCommit.addBatch(
                                                "update account set balance = 1 where id > ?", List.of(7, 5))
                                        .expectRows(2)))
                .hasMessageContaining("write 1 of 1 (execution 2 of 2) should have changed 2 row(s), but changed 4");
        assertNothingStored();
    }

    /** The work has not committed, so the driver's savepoints must not let a later commit store a part of it. */
    @Tag("long")
    @ParameterizedTest
    @MethodSource("org.rowlock.servers.DriverModesTest#settings")
    void everyModeOfTheDriverWorks(String mode) throws Exception {
        connection.close();
        connection = database.session("mode", DriverModesTest.set(database.dataSource(), mode))
                .connection();
        dataSource = OneConnection.of(connection);
        for (LockStrategy strategy : LockStrategy.values()) {
            for (Way way : Way.values()) {
                for (int i = 1; i <= 7; i++) {
                    int amount = i;
                    List<CommitWrite> sent = new ArrayList<>();
                    way.send(locks(strategy), dataSource, atCommit -> {
                        sent.add(atCommit.add(ADD, amount, 1).expectOneRow());
                        sent.add(atCommit.add(ENTRY + " returning amount", 1, amount)
                                .expectOneRow());
                        sent.add(atCommit.addBatch(
                                ENTRY, List.of(Arrays.asList(2, null), List.of(2, 4), List.of(2, 4))));
                    });
                    assertThat(sent.stream().map(CommitWrite::count)).containsExactly(1L, 1L, 3L);
                    assertThat(sent.get(1).rows()).isEqualTo(List.of(List.of((long) amount)));
                }
                assertThat(balance(1)).isEqualTo("28");
                assertThat(entries()).isEqualTo("28");
                database.execute("update account set balance = 0", "delete from entry");
                assertThatThrownBy(() -> way.send(locks(strategy), dataSource, atCommit -> {
                            atCommit.add(ADD, 5, 1).expectOneRow();
                            atCommit.add(ADD, 5, 77).expectOneRow();
                        }))
                        .isInstanceOf(UnexpectedRowCountException.class);
                assertNothingStored();
                assertThatThrownBy(() -> way.send(locks(strategy), dataSource, atCommit -> {
                            atCommit.add(ADD, 5, 1);
                            atCommit.add(ENTRY, 77, 1);
                        }))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("entry_account_fkey");
                assertNothingStored();
            }
        }
    }

    /** What a COMMIT of its own gives, by SQLSTATE: a check, a deferred constraint, a trigger, a deferred trigger. */
    @EveryStrategy
    void whatFailsIsTheDriversErrorAndStoresNothing(LockStrategy strategy, Way way) throws Exception {
        database.execute(
                "create function refuse() returns trigger language plpgsql as"
                        + " $$begin raise exception 'refused' using errcode = 'ZZ001'; end$$",
                "create trigger refuse before update on entry for each row execute function refuse()",
                "create constraint trigger refuse_late after insert on entry deferrable initially deferred for each row"
                        + " when (new.amount = 13) execute function refuse()");
        record Case(String sql, Object bind, String state) {}
        for (Case each : List.of(
                new Case("update account set balance = ? where id = 2", -1, "23514"),
                new Case("insert into entry(account) values (?)", 77, "23503"),
                new Case("insert into account values (?)", 3, "23505"),
                new Case("insert into entry(amount) values (?)", 13, "ZZ001"),
                new Case("update account set nothing = ?", 1, "42703"),
                new Case("update account set balance = 1 / (? - id)", 4, "22012"))) {
            Throwable failure = catchThrowable(() -> way.send(locks(strategy), dataSource, atCommit -> {
                atCommit.add(ADD, 5, 1).expectOneRow();
                atCommit.add(each.sql(), each.bind());
                atCommit.add(ENTRY, 1, 1).expectOneRow();
            }));
            assertThat(failure).as(each.sql()).satisfies(sqlState(each.state()));
            assertNothingStored();
        }
    }

    /** Each of two transactions reads what the other writes, and the other commits first. */
    @EveryStrategy
    void aSerializationFailureStoresNothing(LockStrategy strategy, Way way, Session other) throws Exception {
        other.execute("set transaction isolation level serializable");
        other.execute("insert into account select 10, count(*) from entry");
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        Throwable failure = catchThrowable(() -> way.send(locks(strategy), dataSource, atCommit -> {
            atCommit.add("insert into entry(amount) select sum(balance) from account where id > ?", 3)
                    .expectOneRow();
            assertThatCode(other::commit).doesNotThrowAnyException();
        }));
        if (strategy == LockStrategy.ADVISORY) {
            assertThat(failure).isInstanceOf(LockTransactionException.class);
            assertNothingStored();
            return;
        }
        if (way == Way.EXECUTE) {
            // Its snapshot is younger than the other's commit.
            assertThat(failure).isNull();
            return;
        }
        assertThat(failure).satisfies(sqlState("40001"));
        assertNothingStored();
    }

    @EveryStrategy
    void whatTheyReturnIsThereAfterwardsAndNotBefore(LockStrategy strategy) throws Exception {
        CommitWrite write = locks(strategy).on(dataSource).lock(forUpdate(KEY)).inTransaction(tx -> {
            CommitWrite added = tx.atCommit()
                    .addBatch(
                            "insert into entry(ref, note) values (?, 'a') returning ref, note",
                            List.of(new UUID(1, 2), new UUID(1, 3)));
            assertThatIllegalStateException().isThrownBy(added::count).withMessageContaining("has not committed");
            assertThatIllegalStateException().isThrownBy(added::rows);
            return added;
        });
        assertThat(write.count()).isEqualTo(2);
        assertThat(write.rows()).containsExactly(List.of(new UUID(1, 2), "a"), List.of(new UUID(1, 3), "a"));
    }

    /** To one session a backslash escapes the quote behind it, to another it does not: only one has a parameter. */
    @Test
    void aTextIsReadAsItsSessionReadsIt() throws SQLException {
        assumeTrue(!database.isAtLeast(19), "skipped: from PostgreSQL 19 on a backslash is none to every session");
        String sql = "update account set balance = length('\\'') + ? --'";
        RowLocks locks = LockAccess.builder().build();
        assertIllegal(
                () -> locks.on(database.dataSource()).lock(forUpdate(KEY)).execute(sql, 4),
                "0 parameter(s), and 1 value(s)");
        locks.on(database.dataSourceWith("-c standard_conforming_strings=off"))
                .lock(forUpdate(KEY))
                .execute(sql, 4);
        assertThat(database.query("select min(balance) from account")).isEqualTo("5");
    }

    @Test
    void rowsOfAWriteWithAnExpectationAreThoseOfTheStatement() throws Exception {
        RowLocks locks = LockAccess.builder().build();
        CommitWrites writes = new CommitWrites();
        CommitWrite three = writes.add("update account set balance = id where id in (?, 2, 3) returning id, balance", 1)
                .expectRows(3);
        CommitWrite none = writes.add("delete from entry returning id, note").expectRows(0);
        CommitWrite nulls = writes.add("update account set balance = 5 where id = 1 returning null");
        locks.on(dataSource).lock(forUpdate(KEY)).execute(writes);
        assertThat(three.rows()).containsExactlyInAnyOrder(List.of(1, 1L), List.of(2, 2L), List.of(3, 3L));
        assertThat(none.rows()).isEmpty();
        assertThat(none.count()).isZero();
        assertThat(nulls.rows()).containsExactly(Collections.singletonList(null));
    }

    @ParameterizedTest
    @EnumSource
    void whereATableHasARuleTheServerCannotCountAndTheErrorSaysWhatToDo(Way way) throws Exception {
        execute(connection, "create table ruled(id int primary key, seen int)");
        for (String rule : List.of(
                "do also insert into entry(note) values ('updated')",
                "do instead nothing",
                "where new.seen > 5 do instead nothing",
                "do instead update account set balance = 3 where id = 3")) {
            execute(connection, "create or replace rule watched as on update to ruled " + rule);
            assertThatThrownBy(() -> way.send(dataSource, writes -> {
                        writes.add(ADD, 1, 1);
                        writes.add("update ruled set seen = ? where id = ?", 1, 1)
                                .expectOneRow();
                    }))
                    .as(rule)
                    .satisfies(sqlState("0A000"))
                    .hasMessageContainingAll("CREATE RULE", "expectRows", "Nothing of");
            assertThat(balance(1) + balance(9)).isEqualTo("00");
        }
    }

    /** What the server says names the table, and yet it is not the lock that failed. */
    @Test
    void aRuleOfTheLockedTableIsNoFaultOfTheLock() throws Exception {
        execute(connection, "create rule watched as on update to account do instead update entry set amount = 1");
        CommitWrites writes = new CommitWrites();
        writes.add(ADD, 1, 1).expectOneRow();
        assertThatThrownBy(() -> locks(LockStrategy.ROW)
                        .on(dataSource)
                        .lock(forUpdate(KEY))
                        .execute(writes))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("CREATE RULE");
    }

    /** The driver asks the server for it, by which the next transaction begins. */
    @ParameterizedTest
    @EnumSource
    void aTypeThatTheDriverAsksTheServerForChangesNothingOfTheOutcome(Way way) throws Exception {
        database.execute("create type mood as enum ('glad')");
        List<CommitWrite> sent = new ArrayList<>();
        way.send(
                locks(LockStrategy.BOTH),
                dataSource,
                writes -> sent.add(writes.add(ADD + " returning 'glad'::mood", 4, 1)));
        assertThat(sent.get(0).rows()).containsExactly(List.of("glad"));
        assertThat(connection.unwrap(BaseConnection.class).getTransactionState())
                .isEqualTo(TransactionState.IDLE);
        assertThat(balance(1)).isEqualTo("4");
    }

    /** Its lock is gone with its transaction. */
    @EveryStrategy
    void writesOfWorkThatHasEndedItsTransactionAreNotStored(LockStrategy strategy) throws Exception {
        for (Ending ending : List.<Ending>of(
                Connection::rollback, Connection::commit, connection -> connection.setAutoCommit(true))) {
            assertRefusal(
                            LockTransactionException.class,
                            "2D000",
                            () -> locks(strategy)
                                    .on(dataSource)
                                    .lock(forUpdate(KEY))
                                    .inTransaction(tx -> {
                                        ending.end(tx.connection());
                                        return tx.atCommit(ADD, 1, 1);
                                    }))
                    .hasMessageContainingAll("not stored", "has ended the transaction", "setAutoCommit");
            assertThat(balance(1)).isEqualTo("0");
        }
        locks(strategy).on(dataSource).lock(forUpdate(KEY)).useTransaction(tx -> {
            tx.connection().rollback();
        });
    }

    /** Ends a transaction. */
    @FunctionalInterface
    private interface Ending {
        void end(Connection connection) throws SQLException;
    }

    @Test
    void aStatementOfOneParameterTakesAListOfValues() throws Exception {
        CommitWrites writes = new CommitWrites();
        CommitWrite batch = writes.addBatch("insert into entry(amount) values (?)", List.of(1, 2, 3));
        writes.addBatch("insert into entry(note) values (?)", List.of(List.of("a"), Collections.singletonList(null)));
        RowLocks.of(dataSource).lock(forUpdate(KEY)).execute(writes);
        assertThat(batch.count()).isEqualTo(3);
        assertThat(database.query("select sum(amount) || '/' || count(note) || '/' || count(*) from entry"))
                .isEqualTo("6/1/5");
        CommitWrites two = new CommitWrites();
        two.addBatch(ADD, List.of(1, 2));
        assertIllegal(
                () -> RowLocks.of(dataSource).lock(forUpdate(KEY)).execute(two),
                "2 parameter(s)",
                "in addBatch a list for each execution");
        assertIllegal(() -> new CommitWrites().addBatch(ADD, List.of(Set.of(1, 2))), "List.of(1, \"a\")");
    }

    /**
     * Text that a check has to be put around: comments, semicolons, quotes, and words in places where they mean
     * nothing.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "update account set balance = 5 where id = ?;",
                "update account set balance = 5 where id = ? ; \n ",
                "update account set balance = 5 where id = ? -- returning",
                "/* a /* nested */ commit */ update account set balance = 5 where id = ? /* returning */",
                "-- begin\nUPDATE account AS a SET balance = 5 WHERE id = ? RETURNING *",
                "update account set balance = 5 where id = ? returning 'a;b', $$;$$, \"id\"",
                "delete from account where id = ?",
                "insert into account values (? + 10, 5)",
                "insert into account values (? + 10, 5) on conflict (id) do update set balance = 6",
                "insert into account select ? + 10, length('returning')",
            })
    void everyFormOfAStatementIsChecked(String sql) throws Exception {
        for (Way way : Way.values()) {
            List<CommitWrite> sent = new ArrayList<>();
            assertThatThrownBy(() -> way.send(
                            dataSource, atCommit -> atCommit.add(sql, 2).expectRows(3)))
                    .isInstanceOf(UnexpectedRowCountException.class)
                    .hasMessageContaining("have changed 3 row(s), but changed 1");
            assertNothingStored();
            way.send(dataSource, atCommit -> sent.add(atCommit.add(sql, 2).expectOneRow()));
            assertThat(sent.get(0).count()).isOne();
            database.execute(
                    "delete from entry",
                    "delete from account",
                    "insert into account select g from generate_series(1, 9) g");
        }
    }

    /** The server cannot count what it would change. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "with a as (select ?::int as id) update account set balance = 5 from a where account.id = a.id",
                "with a as (insert into entry(amount) values (1) returning account) delete from account where id = ?",
                "select id from account where id = ?",
                "(select id from account where id = ?)",
                "values (?)",
                "merge into account as a using (select ?::int as id) as s on a.id = s.id"
                        + " when matched then update set balance = 5"
            })
    void aStatementThatTheServerCannotCountIsRefusedWithAnExpectation(String sql) throws Exception {
        for (Way way : Way.values()) {
            assertIllegal(
                    () -> way.send(dataSource, atCommit -> atCommit.add(sql, 2).expectOneRow()),
                    "only for an INSERT, UPDATE or DELETE");
            assertNothingStored();
        }
    }

    @ParameterizedTest
    @EnumSource
    void valuesOfEveryTypeAreTheirOwn(Way way) throws Exception {
        Timestamp at = Timestamp.valueOf("2026-07-01 09:30:00");
        UUID ref = new UUID(7, 8);
        for (int i = 0; i < 8; i++) {
            way.send(dataSource, atCommit -> {
                atCommit.add("insert into entry(note, at, ref, amount) values (?, ?, ?, ?)", null, at, ref, 7L)
                        .expectOneRow();
                atCommit.add(
                                "insert into entry(note, at, ref, amount) values (?, ?, ?, ?) returning note",
                                "n",
                                at,
                                null,
                                null)
                        .expectOneRow();
            });
        }
        assertThat(database.query("select count(*) from entry where note is null and at = '" + at + "' and ref = '"
                        + ref + "' and amount = 7"))
                .isEqualTo("8");
        assertThat(database.query("select count(*) from entry where note = 'n' and ref is null and amount is null"))
                .isEqualTo("8");
    }

    @ParameterizedTest
    @EnumSource
    void manyExecutionsKeepTheirOrder(Way way) throws Exception {
        List<List<Integer>> binds =
                IntStream.range(0, 250).mapToObj(i -> List.of(1, i)).toList();
        List<CommitWrite> sent = new ArrayList<>();
        way.send(dataSource, atCommit -> {
            sent.add(atCommit.add(ADD, 1, 1).expectOneRow());
            sent.add(atCommit.addBatch(ENTRY, binds).expectOneRow());
            sent.add(atCommit.addBatch(ENTRY, List.of()).expectOneRow());
            sent.add(atCommit.add("update account set balance = (select count(*) from entry) where id = ?", 1));
        });
        assertThat(balance(1)).isEqualTo("250");
        assertThat(database.query("select bool_and(amount = n - 1) from (select amount, row_number() over (order by id)"
                        + " as n from entry) as e"))
                .isEqualTo("t");
        assertThat(sent.get(1).count()).isEqualTo(250);
        assertThat(sent.get(2).count()).isZero();
        database.execute("delete from entry", "update account set balance = 0");
        assertThatThrownBy(() -> way.send(dataSource, atCommit -> {
                    atCommit.addBatch(ENTRY, binds);
                    atCommit.add(ADD, 1, 77).expectOneRow();
                }))
                .isInstanceOf(UnexpectedRowCountException.class);
        assertNothingStored();
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotGoWithACommitIsRefused(Way way) throws Exception {
        record Case(String sql, List<Object> binds, String message) {}
        for (Case each : List.of(
                new Case("update account set balance = 1; delete from entry", List.of(), "2 statements"),
                new Case("-- nothing", List.of(), "0 statements"),
                new Case("commit", List.of(), "cannot begin or end"),
                new Case(" /* so */ ROLLBACK", List.of(), "cannot begin or end"),
                new Case("-- so\r commit", List.of(), "cannot begin or end"),
                new Case("savepoint a", List.of(), "cannot begin or end"),
                new Case("copy account to stdout", List.of(), "COPY cannot be a write"),
                new Case("-- so\n Explain (analyze) update account set balance = 1", List.of(), "EXPLAIN cannot be"),
                new Case(ADD, List.of(1), "2 parameter(s), and 1 value(s)"),
                new Case(ADD, List.of(1, 2, 3), "2 parameter(s), and 3 value(s)"))) {
            assertIllegal(
                    () -> way.send(dataSource, atCommit -> {
                        atCommit.add(ADD, 1, 1);
                        atCommit.add(each.sql(), each.binds().toArray());
                    }),
                    each.message(),
                    "Nothing is stored");
            assertNothingStored();
        }
    }

    @Test
    void badArgumentsAreRefusedAtOnce() {
        CommitWrites writes = new CommitWrites();
        assertIllegal(() -> writes.add(null));
        assertIllegal(() -> writes.add(" "));
        assertIllegal(() -> writes.add("select 1", (Object[]) null));
        assertIllegal(() -> writes.addBatch("select 1", null));
        List<List<Object>> withNull = new ArrayList<>();
        withNull.add(null);
        assertIllegal(() -> writes.addBatch("select 1", withNull));
        assertThat(CommitWrites.toSend(writes)).isEmpty();
        assertIllegal(() -> writes.add("select 1").expectRows(-1));
        assertThat(CommitWrites.toSend(writes)).isNotEmpty();
        RowLocks locks = LockAccess.builder().build();
        assertIllegal(() -> locks.on(dataSource).lock(forUpdate(KEY)).execute(null));
        assertIllegal(() -> locks.in(connection).commit(null));
        assertThatThrownBy(() -> locks.in(connection).commit(writes))
                .isInstanceOf(LockTransactionException.class)
                .satisfies(state("25P01"));
    }

    @Test
    void whatIsCommittedIsNotSentAgain() throws Exception {
        RowLocks locks = LockAccess.builder().build();
        CommitWrites writes = new CommitWrites();
        writes.add(ADD, -5, 1);
        // Not committed, so it may be tried again.
        assertThatThrownBy(() -> locks.on(dataSource).lock(forUpdate(KEY)).execute(writes))
                .isInstanceOf(SQLException.class);
        database.execute("update account set balance = 5 where id = 1");
        locks.on(dataSource).lock(forUpdate(KEY)).execute(writes);
        assertThat(balance(1)).isEqualTo("0");
        assertThatIllegalStateException()
                .isThrownBy(() -> locks.on(dataSource).lock(forUpdate(KEY)).execute(writes));
        assertThatIllegalStateException().isThrownBy(() -> writes.add("select 1"));
    }

    @Test
    void whateverACommitThrowsTheTransactionIsOver() throws Exception {
        TransactionLocks tx = LockAccess.builder().build().in(connection);
        CommitWrites committed = new CommitWrites();
        connection.setAutoCommit(false);
        committed.add(ADD, 1, 1);
        tx.commit(committed);
        for (CommitWrites wrong : Arrays.asList(committed, null)) {
            execute(connection, "update account set balance = 100");
            assertThat(catchThrowable(() -> tx.commit(wrong)))
                    .isInstanceOfAny(IllegalStateException.class, IllegalArgumentException.class);
            connection.commit();
            assertThat(balance(1)).isEqualTo("1");
        }
    }

    @Test
    void whatIsSentAndCountsWrongCannotBeCommitted() throws Exception {
        connection.setAutoCommit(false);
        CommitWrites writes = new CommitWrites();
        writes.add("update account set balance = 7 where id < ?", 3).expectOneRow();
        assertThatThrownBy(() -> LockAccess.of(LockAccess.builder().build()).send(connection, writes))
                .isInstanceOf(UnexpectedRowCountException.class)
                .hasMessageContaining("The transaction is aborted; roll back");
        connection.commit();
        assertThat(balance(1)).isEqualTo("0");
    }

    @EveryStrategy
    void withoutWritesItIsACommit(LockStrategy strategy) throws Exception {
        locks(strategy).on(dataSource).lock(forUpdate(KEY)).execute(new CommitWrites());
        connection.setAutoCommit(false);
        execute(connection, "update account set balance = 4 where id = 1");
        locks(strategy).in(connection).commit(new CommitWrites());
        assertThat(balance(1)).isEqualTo("4");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "EXECUTE")
    void anAbortedTransactionIsNotReportedAsCommitted(Way way) throws Exception {
        assertThatThrownBy(() -> way.send(dataSource, atCommit -> {
                    assertThatThrownBy(() -> execute(connection, "select 1 / 0"))
                            .isInstanceOf(SQLException.class);
                    atCommit.add(ADD, 1, 1);
                }))
                .isInstanceOf(LockTransactionException.class)
                .satisfies(state("25P02"));
        assertNothingStored();
    }

    @Test
    void sentWithoutTheCommitTheyArePartOfTheTransaction() throws Exception {
        connection.setAutoCommit(false);
        LockAccess access = LockAccess.of(LockAccess.builder().build());
        CommitWrites writes = new CommitWrites();
        CommitWrite first = writes.add(ADD, 5, 1).expectOneRow();
        CommitWrites more = new CommitWrites();
        CommitWrite second = more.add(ENTRY + " returning account", 1, 5);
        writes.addAll(more);
        access.send(connection, writes);
        assertThat(first.count()).isOne();
        assertThat(second.rows()).containsExactly(List.of(1));
        assertThat(balance(1)).isEqualTo("0");
        assertThatIllegalStateException().isThrownBy(() -> access.send(connection, writes));
        assertThatIllegalStateException().isThrownBy(() -> new CommitWrites().addAll(writes));
        connection.commit();
        assertThat(balance(1)).isEqualTo("5");
        access.send(connection, new CommitWrites());
        CommitWrites wrong = new CommitWrites();
        wrong.add(ADD, 5, 1).expectRows(2);
        assertThatThrownBy(() -> access.send(connection, wrong)).isInstanceOf(UnexpectedRowCountException.class);
        connection.rollback();
        assertThat(balance(1)).isEqualTo("5");
        assertIllegal(() -> access.send(connection, null));
        connection.setAutoCommit(true);
        assertThatThrownBy(() -> access.send(connection, wrong)).isInstanceOf(LockTransactionException.class);
    }

    @EveryStrategy
    void theyWaitForTheLock(RowLocks locks, Way way, Session alice, Session bob) throws Exception {
        bob.connection().setAutoCommit(true);
        lock(alice, locks, forUpdate(KEY));
        Step<Void> step =
                bob.startAction(c -> way.send(locks, OneConnection.of(c), atCommit -> atCommit.add(ADD, 1, 1)));
        step.awaitBlockedBy(alice);
        alice.execute("update account set balance = 41 where id = 1");
        alice.commit();
        step.get();
        assertThat(balance(1)).isEqualTo("42");
    }

    @EveryStrategy
    void aLockThatCannotBeHadStoresNothing(RowLocks locks, Session alice) throws Exception {
        lock(alice, locks, forUpdate(KEY));
        for (LockWait wait : Waits.SHORT) {
            assertThatThrownBy(() -> locks.on(dataSource)
                            .lock(Requests.waiting(forUpdate(KEY), wait))
                            .execute(ADD, 1, 2))
                    .isInstanceOf(LockNotAvailableException.class);
            assertThatThrownBy(() -> locks.on(dataSource)
                            .lock(Requests.waiting(forUpdate(List.of(LockKey.row("account", 2), KEY)), wait))
                            .execute(ADD, 1, 2))
                    .isInstanceOf(LockNotAvailableException.class);
            assertNothingStored();
        }
        alice.rollback();
        LockWait longEnough = LockWait.atMost(TestDatabase.DEADLINE);
        locks.on(dataSource)
                .lock(Requests.waiting(forUpdate(List.of(KEY, LockKey.row("account", 2))), longEnough))
                .execute(ADD, 1, 2);
        assertThat(balance(2)).isEqualTo("1");
    }

    /** The server compares the row, and keys alone are refused. */
    @EveryStrategy
    void atHigherLevelsARowThatHasChangedStoresNothing(
            LockStrategy strategy, RowLocks locks, Way way, Session alice, Session bob) throws Exception {
        for (int level : List.of(Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE)) {
            bob.connection().setTransactionIsolation(level);
            bob.connection().setAutoCommit(true);
            Session.Action action = c -> way.send(
                    locks,
                    OneConnection.of(c),
                    atCommit -> atCommit.add(ADD, 1, 1).expectOneRow());
            if (strategy == LockStrategy.ADVISORY) {
                assertThat(bob.startAction(action).failure()).isInstanceOf(LockTransactionException.class);
                endTransaction(bob);
                continue;
            }
            lock(alice, locks, forUpdate(KEY));
            Step<Void> step = bob.startAction(action).awaitBlockedBy(alice);
            alice.execute("update account set balance = balance + 1 where id = 1");
            alice.commit();
            assertThat(step.failure()).isInstanceOf(LockSerializationException.class);
            endTransaction(bob);
            bob.startAction(action).get();
        }
        assertThat(balance(1)).isEqualTo(strategy == LockStrategy.ADVISORY ? "0" : "4");
        assertThat(bob.advisoryLocks()).isZero();
    }

    /** Of the caller's own connection, which nothing else ends. */
    private static void endTransaction(Session session) throws Exception {
        session.startAction(c -> {
                    c.setAutoCommit(false);
                    c.rollback();
                    c.setAutoCommit(true);
                })
                .get();
    }

    /** The row that would be found has another key, which nobody is excluded from. */
    @EveryStrategy
    void anIdInAnotherSpellingStoresNothing(LockStrategy strategy) throws Exception {
        database.execute(
                "create table reading(at timestamptz primary key, n int)",
                "insert into reading values ('2026-07-01T07:30:00Z', 0)");
        String write = "update reading set n = 1";
        assertThatThrownBy(() -> locks(strategy)
                        .on(dataSource)
                        .lock(forUpdate(LockKey.row("reading", "2026-07-01T09:30:00+02:00")))
                        .execute(write))
                .isInstanceOf(LockTargetException.class);
        assertThat(database.query("select n from reading")).isEqualTo("0");
        locks(strategy)
                .on(dataSource)
                .lock(forUpdate(LockKey.row("reading", "2026-07-01T07:30:00Z")))
                .execute(write);
        assertThat(database.query("select n from reading")).isEqualTo("1");
    }

    @EveryStrategy
    void aTableThatWasReplacedIsLookedUpAgain(RowLocks locks) throws Exception {
        for (String type : List.of("int", "bigint", "text", "int")) {
            database.execute(
                    "drop table if exists thing",
                    "create table thing(id " + type + " primary key, n int default 0)",
                    "insert into thing values ('7')");
            assertThat(locks.on(dataSource)
                            .lock(forUpdate(LockKey.row("thing", 7)))
                            .execute("update thing set n = n + 1"))
                    .isOne();
            assertThat(database.query("select n from thing")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRoleThatMaySetNoSettingsWrites(Way way) throws Exception {
        String role = database.role("select, update on account");
        String function = "execute on function pg_catalog.set_config(text, text, boolean)";
        database.execute("revoke " + function + " from public");
        database.closing(() -> database.execute("grant " + function + " to public"));
        way.send(
                database.dataSourceOf(role), atCommit -> atCommit.add(ADD, 1, 1).expectOneRow());
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("1");
    }

    @EveryStrategy
    void thePoolsConnectionIsCleanAfterwards(LockStrategy strategy, RowLocks locks) throws Exception {
        try (HikariDataSource pool = Pools.of(database.dataSource(), 1)) {
            pool.setAutoCommit(strategy == LockStrategy.ROW);
            for (Way way : Way.values()) {
                way.send(locks, pool, atCommit -> atCommit.add(ADD, 1, 1).expectOneRow());
                assertThatThrownBy(() -> way.send(
                                locks,
                                pool,
                                atCommit -> atCommit.add(ADD, 1, 77).expectOneRow()))
                        .isInstanceOf(UnexpectedRowCountException.class);
                try (Connection own = pool.getConnection()) {
                    assertThat(own.getAutoCommit()).isEqualTo(strategy == LockStrategy.ROW);
                    assertIdle(own);
                }
            }
        }
        assertThat(balance(1)).isEqualTo("4");
    }

    @Test
    void proxiesSeeACommit() throws Exception {
        ObservedDataSource observed = new ObservedDataSource(database.dataSource());
        for (Way way : Way.values()) {
            way.send(observed, atCommit -> atCommit.add(ADD, 1, 1));
        }
        assertThat(observed.calls().stream().filter("commit"::equals)).hasSize(Way.values().length);
        assertThat(observed.calls()).doesNotContain("rollback");
        for (Throwable failure :
                List.of(new SQLException("the proxy fails"), new IllegalStateException(), new AssertionError())) {
            observed.fail("commit", failure);
            for (Way way : Way.values()) {
                way.send(observed, atCommit -> atCommit.add(ADD, 1, 1));
            }
        }
        assertThat(balance(1)).isEqualTo("16");
    }

    /** Monitors wrap statements, and throw what the driver does not; by then the COMMIT is done. */
    @EveryStrategy
    void whatAProxyThrowsBehindTheCommitIsAnUnknownOutcome(LockStrategy strategy, Way way) throws Exception {
        for (Throwable thrown : PROXIES_THROW) {
            DataSource wrapped = wrapped(DataSource.class, database.dataSource(), "execute", thrown);
            CommitWrites[] sent = new CommitWrites[1];
            assertThatThrownBy(() -> way.send(locks(strategy), wrapped, atCommit -> {
                        atCommit.add(ADD, 1, 1);
                        sent[0] = atCommit;
                    }))
                    .isExactlyInstanceOf(CommitOutcomeUnknownException.class)
                    .rootCause()
                    .isSameAs(thrown);
            assertThatIllegalStateException()
                    .isThrownBy(() -> sent[0].add(ADD, 1, 1))
                    .withMessageContaining("twice");
        }
        assertThat(balance(1)).isEqualTo(String.valueOf(PROXIES_THROW.size()));
    }

    @ParameterizedTest
    @EnumSource
    void whatAProxyThrowsBehindACommitWithoutWritesIsAnUnknownOutcome(LockRelease release) throws Exception {
        RowLocks locks = LockAccess.builder().release(release).build();
        for (Throwable thrown : PROXIES_THROW) {
            String method = release == LockRelease.EARLY ? "execute" : "commit";
            DataSource wrapped = wrapped(DataSource.class, database.dataSource(), method, thrown);
            assertThatThrownBy(() -> locks.on(wrapped)
                            .lock(forUpdate(LockKey.row("account", 1)))
                            .useTransaction(tx -> {
                                execute(tx.connection(), "update account set balance = balance + 1 where id = 1");
                            }))
                    .isExactlyInstanceOf(CommitOutcomeUnknownException.class)
                    .rootCause()
                    .isSameAs(thrown);
        }
        assertThat(balance(1)).isEqualTo(String.valueOf(PROXIES_THROW.size()));
    }

    private static <T> T wrapped(Class<T> type, Object target, String failing, Throwable thrown) {
        return Proxies.of(type, (proxy, method, arguments) -> {
            Object result = Proxies.call(target, method, arguments);
            if (method.getName().equals(failing) && type != DataSource.class) {
                throw thrown;
            }
            return switch (method.getName()) {
                case "getConnection" ->
                    type == DataSource.class ? wrapped(Connection.class, result, failing, thrown) : result;
                case "prepareStatement" ->
                    ((String) arguments[0]).contains("COMMIT")
                            ? wrapped(PreparedStatement.class, result, failing, thrown)
                            : result;
                default -> result;
            };
        });
    }

    /** Of the lock's own types, which are arrays too, it would say that the table was replaced. */
    @EveryStrategy
    void anUnknownTypeOfAWriteIsItsOwnError(LockStrategy strategy) {
        CommitWrites writes = new CommitWrites();
        writes.add(ADD, 5, 1);
        writes.add("update account set balance = 0 where cast(? as mood[]) is null", "{}");
        assertThatThrownBy(() -> locks(strategy)
                        .on(dataSource)
                        .lock(forUpdate(LockKey.row("account", 1)))
                        .execute(writes))
                .satisfies(sqlState("42704"));
    }

    /** The driver names what it has prepared five times; nothing of it is there twice, but for the COMMIT. */
    @EveryStrategy
    void theServerKeepsEachStatementOnce(LockStrategy strategy, Way way) throws Exception {
        // On a busy machine a wait may have looked like a crowd: with a key in front the lock is another statement.
        RowLocks locks =
                LockAccess.builder().strategy(strategy).front(LockFront.NEVER).build();
        for (int i = 0; i < 15; i++) {
            int amount = i;
            way.send(locks, dataSource, atCommit -> {
                atCommit.add(ADD, amount, 1).expectOneRow();
                atCommit.add(ENTRY, 1, amount);
                atCommit.add("update account set balance = 0 where id = ?", 2);
            });
            // These are not kept, however often the same is executed.
            way.send(
                    locks,
                    dataSource,
                    atCommit -> atCommit.addBatch("delete from entry where id = ?", List.of(1, 2, 3)));
        }
        List<String> kept = TestDatabase.list(connection, "select statement from pg_prepared_statements");
        assertThat(kept.stream().filter(sql -> !sql.equals("COMMIT"))).doesNotHaveDuplicates();
        assertThat(kept).anyMatch(sql -> sql.startsWith("with rowlock as (update account"));
        assertThat(kept).anyMatch(sql -> sql.startsWith("insert into entry"));
        assertThat(kept).noneMatch(sql -> sql.startsWith("delete from entry"));
    }
}
