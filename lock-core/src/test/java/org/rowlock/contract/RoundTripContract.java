package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.Claim;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Requests;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Waits;

/** How often a call goes to the server and back, counted at the socket. */
abstract class RoundTripContract extends RowLockContract {
    /** Enough for the driver to switch to named prepared statements, and on. */
    private static final int CALLS = 12;

    private String stringType = "varchar";

    RoundTripContract(FirstLockContracts of) {
        super(
                of,
                ACCOUNTS,
                "alter table account add column note text",
                "insert into account select g from generate_series(1, 10000) g",
                "create table document(id uuid primary key)",
                "insert into document select gen_random_uuid() from generate_series(1, 10000)",
                "analyze");
    }

    private void assertRoundTrips(int expected, Session.Body<?> call) throws Exception {
        PGSimpleDataSource dataSource = RoundTripCounter.counting(database.dataSource());
        dataSource.setStringType(stringType);
        try (Connection connection = begin(dataSource)) {
            // The first call may ask the catalog for the primary key.
            call.run(connection);
            connection.rollback();
            for (int i = 0; i < CALLS; i++) {
                for (String place : List.of("first", "second")) {
                    int before = RoundTripCounter.counted();
                    call.run(connection);
                    assertThat(RoundTripCounter.counted() - before)
                            .as("the %s call of transaction %s", place, i)
                            .isEqualTo(expected);
                }
                connection.rollback();
            }
            // The server plans a statement for its values at least five times, and from then on only if a plan for all
            // values seems to be too expensive. Each of these plans would cost more than the statement itself.
            assertThat(
                            TestDatabase.list(
                                    connection,
                                    "select statement from pg_prepared_statements where custom_plans > 5 and generic_plans = 0"))
                    .as("statements that are planned again for each execution")
                    .isEmpty();
        }
    }

    @Test
    void theCountIsRight() throws Exception {
        assertRoundTrips(3, c -> {
            try (var statement = c.createStatement()) {
                statement.execute("select 1");
                statement.execute("select 2; select 3");
                return statement.execute("select 4");
            }
        });
    }

    @Test
    void lockTakesOne() throws Exception {
        LockKey document = document();
        Map<LockKey, RowLockMode> modes = Map.of(
                account(3),
                RowLockMode.FOR_UPDATE,
                account(1),
                RowLockMode.FOR_SHARE,
                LockKey.name("x"),
                RowLockMode.FOR_SHARE,
                document,
                RowLockMode.FOR_UPDATE);
        List<LockRequest> requests = List.of(
                forUpdate(account(1)),
                forShare(account(1)),
                forUpdate(document),
                forUpdate(account(20_000)).orInsert("insert into account(id, note) values (?, ?)", 20_000, null),
                forUpdate(List.of(account(3), account(1), LockKey.name("x"), document, LockKey.number(9))),
                Requests.of(modes));
        for (LockRequest request : requests) {
            forEach(Waits.ALL, wait -> assertRoundTrips(1, c -> locks.in(c).lock(Requests.waiting(request, wait))));
        }
    }

    private LockKey document() throws SQLException {
        UUID id = UUID.randomUUID();
        database.execute("insert into document values ('" + id + "')");
        return LockKey.row("document", id);
    }

    @Test
    void tryLockTakesOne() throws Exception {
        forEach(Waits.ALL, wait -> {
            assertRoundTrips(
                    1,
                    c -> locks.in(c)
                            .tryLock(Requests.waiting(forUpdate(account(1)), wait))
                            .isHeld());
        });
    }

    @Test
    void lockAndReadTakesOne() throws Exception {
        forEach(Waits.ALL, wait -> {
            assertRoundTrips(
                    1,
                    c -> locks.in(c)
                            .lockAndRead(
                                    Requests.waiting(forUpdate(account(1)), wait),
                                    "select balance from account where id = ?",
                                    row -> row.getLong(1),
                                    1));
        });
    }

    /** For a value without a type the driver asks what the statement will return, and then waits in front of it. */
    @Test
    void lockAndReadWithUntypedBindsTakesOne() throws Exception {
        forEach(Arrays.asList(null, new Timestamp(0), new Date(0)), bind -> {
            assertRoundTrips(
                    1,
                    c -> locks.in(c)
                            .lockAndRead(
                                    forUpdate(account(1)),
                                    "select note from account, (select ?::timestamp) as t",
                                    row -> row.getString(1),
                                    bind));
        });
    }

    @Test
    void lockTakesOneWhereTheDriverBindsTextsWithoutAType() throws Exception {
        stringType = "unspecified";
        LockKey key = document();
        assertRoundTrips(1, c -> locks.in(c).lock(forUpdate(key)));
        assertRoundTrips(
                1, c -> locks.in(c).lockAndRead(forUpdate(key), "select note from account", row -> row.getString(1)));
    }

    @Test
    void aClaimTakesOne() throws Exception {
        Claim claim =
                Claim.from("account").where("balance = ?", 0).orderBy("id").limit(5);

        assertRoundTrips(
                strategy() == LockStrategy.ROW ? 1 : 2, c -> locks.in(c).claim(claim, row -> row.getInt(1)));
    }

    private static CommitWrites threeWrites() {
        CommitWrites writes = new CommitWrites();
        writes.add("update account set balance = balance + ? where id = ?", 5, 1)
                .expectOneRow();
        writes.add("update account set note = ? where id = ?", "n", 1);
        writes.add("update account set balance = balance - ? where id = ?", 5, 1)
                .expectOneRow();
        return writes;
    }

    @Test
    void writesWithTheCommitTakeOne() throws Exception {
        assertRoundTrips(2, c -> {
            locks.in(c)
                    .lockAndRead(
                            forUpdate(account(1)),
                            "select balance from account where id = ?",
                            row -> row.getLong(1),
                            1);
            locks.in(c).commit(threeWrites());
            return null;
        });
    }

    @Test
    void aWholeTransactionTakesTwo() throws Exception {
        BoundQuery<Long> query = BoundQuery.of("select balance from account where id = ?", row -> row.getLong(1), 1);
        assertRoundTrips(
                2,
                c -> on(locks, OneConnection.of(c))
                        .lock(forUpdate(account(1)))
                        .read(query.sql(), query.mapper(), 1)
                        .inTransaction(tx -> tx.atCommit(
                                        "update account set balance = ? where id = ?",
                                        tx.rows().get(0) + 1,
                                        1)
                                .expectOneRow()));
    }

    /** Null and java.sql.Timestamp have no type of their own. */
    @Test
    void lockAndWritesAndCommitTakeOne() throws Exception {
        forEach(Waits.ALL, wait -> {
            assertRoundTrips(1, c -> {
                on(locks, OneConnection.of(c))
                        .lock(Requests.waiting(forUpdate(account(1)), wait))
                        .execute(threeWrites());
                return null;
            });
        });
        forEach(List.of(account(3), account(1)), key -> {
            assertRoundTrips(1, c -> {
                CommitWrites writes = new CommitWrites();
                writes.add("update account set note = ? returning note", (Object) null)
                        .expectRows(10_000);
                writes.addBatch(
                        "update account set note = cast(? as timestamp)", List.of(new Timestamp(0), new Timestamp(1)));
                on(locks, OneConnection.of(c))
                        .lock(forUpdate(List.of(account(3), account(1), LockKey.name("x"))))
                        .execute(writes);
                return null;
            });
        });
    }

    @Test
    void aTryThatFailsTakesAtMostTwo() throws Exception {
        lock(alice, account(1));

        // With one kind of lock nothing has happened; with both the first of them has to be let go of.
        assertRoundTrips(
                strategy() == LockStrategy.BOTH ? 2 : 1,
                c -> locks.in(c).tryLock(forUpdate(account(1))).isHeld());
    }
}
