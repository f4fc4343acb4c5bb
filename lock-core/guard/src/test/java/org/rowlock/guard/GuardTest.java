package org.rowlock.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.startLock;

import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** The guard rejects writers that do not lock, while ADVISORY lockers hold the rows. */
class GuardTest {
    private static final int BUDGET = 20;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance bigint not null)",
            "insert into account select i, 100 from generate_series(1, 1000) as i");

    private final RowLocks locks = locks(LockStrategy.ADVISORY);

    private Session locker;
    private Session writer;

    @BeforeEach
    void guard() throws SQLException {
        database.execute(RowLockGuard.schemaSql(), Install.guard("account", BUDGET));
        locker = database.session("locker");
        writer = database.session("writer");
    }

    private LockResult lock(Session session, int id) throws Exception {
        return lock(session, LockKey.row("account", id), RowLockMode.FOR_UPDATE);
    }

    private LockResult lock(Session session, LockKey key, RowLockMode mode) throws Exception {
        return session.run(c -> locks.in(c).lock(LockRequest.of(mode, List.of(key))));
    }

    private static void assertRefused(Session session, String sql, String state) {
        assertThatThrownBy(() -> session.execute(sql))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo(state));
    }

    private void assertRefusedAsLocked(String sql) throws Exception {
        assertRefused(writer, sql, "55P03");
        writer.rollback();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update account set balance = 0 where id = 7",
                "delete from account where id = 7",
                "update account set balance = 0 where id <= 10",
                "update account set id = -7 where id = 7",
                "insert into account values (7, 0) on conflict (id) do update set balance = excluded.balance",
                "select * from account where id = 7 for update; update account set balance = 0 where id = 7",
                "update account set balance = b from (select 7 as k, 5 as b) as s where id = k",
                "with w as (update account set balance = 0 where id = 7 returning 1) select * from w",
                "do $$ begin update account set balance = 0 where id = 7; end $$"
            })
    void aWriterIsRefusedWhereAnotherHoldsTheKey(String sql) throws Exception {
        lock(locker, 7);

        assertRefusedAsLocked(sql);

        locker.commit();
        writer.execute(sql);
    }

    @Test
    void mergeIsRefusedToo() throws Exception {
        assumeTrue(database.isAtLeast(15), "MERGE came with PostgreSQL 15");
        lock(locker, 7);

        for (String action : List.of("update set balance = 0", "delete")) {
            assertRefusedAsLocked(
                    "merge into account using (values (7)) as s(k) on id = k when matched then " + action);
        }
        writer.execute("merge into account using (values (-1)) as s(k) on id = k"
                + " when not matched then insert values (k, 0) when matched then delete");
    }

    @Test
    void theRefusalNamesRowTableHolderAndWhatToDo() throws Exception {
        database.execute(
                "create table \"Order Line\"(tenant text, no int, note text, primary key (tenant, no))",
                "insert into \"Order Line\" values ('acme', 3)",
                Install.guard("\"Order Line\"", BUDGET));
        lock(locker, LockKey.row("\"Order Line\"", "acme", 3), RowLockMode.FOR_SHARE);

        assertThatThrownBy(() -> writer.execute("update \"Order Line\" set note = 'x'"))
                .hasMessageContainingAll(
                        "Row acme, 3 of " + database.schema() + ".\"Order Line\" is locked by another",
                        "process " + locker.pid() + ".",
                        "Run the transaction again",
                        "lock the row through Rowlock");
    }

    @Test
    void otherRowsAndOtherTablesAreNotRefused() throws Exception {
        database.execute("create table other(id int primary key)", "insert into other values (7)");
        lock(locker, 7);

        writer.execute("update account set balance = 0 where id = 8");
        writer.execute("delete from other where id = 7");
    }

    @ParameterizedTest
    @EnumSource(RowLockMode.class)
    void everyModeKeepsAWriterOut(RowLockMode mode) throws Exception {
        lock(locker, LockKey.row("account", 7), mode);

        assertRefusedAsLocked("update account set balance = 0 where id = 7");
    }

    @Test
    void aHolderWritesItsOwnRow() throws Exception {
        lock(locker, 7);
        locker.execute("update account set balance = balance + 1 where id = 7");
        locker.execute("delete from account where id = 7");
        lock(locker, LockKey.row("account", 8), RowLockMode.FOR_SHARE);
        locker.execute("update account set balance = balance + 1 where id = 8");
    }

    @Test
    void aSharerThatIsNotAloneMayNotWrite() throws Exception {
        lock(locker, LockKey.row("account", 7), RowLockMode.FOR_SHARE);
        lock(writer, LockKey.row("account", 7), RowLockMode.FOR_SHARE);

        assertRefusedAsLocked("update account set balance = 0 where id = 7");
    }

    @Test
    void lockersWaitForAWriterAndReadWhatItWrote() throws Exception {
        writer.execute("update account set balance = 55 where id = 7");

        assertThatThrownBy(() -> locker.run(c ->
                        locks.in(c).lock(forUpdate(LockKey.row("account", 7)).noWait())))
                .isInstanceOf(LockNotAvailableException.class);
        Step<List<Long>> read = locker.start(c -> locks.in(c)
                .lockAndRead(
                        forUpdate(LockKey.row("account", 7)),
                        "select balance from account where id = 7",
                        row -> row.getLong(1)));
        read.awaitBlockedBy(writer);
        writer.commit();

        assertThat(read.get()).containsExactly(55L);
    }

    @Test
    void aKeyGoesWithTheSavepointItWasTakenBehind() throws Exception {
        writer.execute("savepoint s");
        writer.execute("update account set balance = 0 where id = 7");
        assertThat(writer.advisoryLocks()).isOne();
        writer.execute("rollback to savepoint s");

        assertThat(writer.advisoryLocks()).isZero();
        lock(locker, 7);
        assertRefused(writer, "update account set balance = 0 where id = 7", "55P03");
        writer.execute("rollback to savepoint s");
        writer.execute("update account set balance = 0 where id = 8");
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void aWriterIsRefusedAtEveryIsolation(int isolation) throws Exception {
        lock(locker, 7);
        writer.connection().setTransactionIsolation(isolation);

        assertRefusedAsLocked("update account set balance = 0 where id = 7");
        writer.execute("update account set balance = 0 where id = 8");
    }

    /** The guard rejects no INSERT. As with FOR UPDATE, only a constraint can prevent the INSERT of an absent row. */
    @Test
    void insertAndCopyPass() throws Exception {
        lock(locker, -1);

        writer.execute("insert into account values (-1, 0)");
        writer.run(c -> c.unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("copy account from stdin", new StringReader("-2\t0\n")));
        writer.execute("insert into account values (-1, 5) on conflict do nothing");
        assertThat(writer.advisoryLocks()).isZero();
    }

    /** TRUNCATE waits because every locker has a lock on the table, and not because of the guard. */
    @Test
    void truncateWaitsForLockers() throws Exception {
        lock(locker, 7);

        Step<Boolean> truncated = writer.startExecute("truncate account");
        truncated.awaitBlockedBy(locker);
        locker.commit();
        truncated.get();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cascade", "set null"})
    void aForeignKeyThatWritesIsRefused(String action) throws Exception {
        database.execute(
                "create table owner(id int primary key)",
                "insert into owner values (1)",
                "alter table account add owner int references owner on delete " + action,
                "update account set owner = 1 where id = 7");
        lock(locker, 7);

        assertRefusedAsLocked("delete from owner");
        locker.commit();
        writer.execute("delete from owner");
    }

    @Test
    void aTriggerOfAnotherTableIsRefused() throws Exception {
        database.execute(
                "create table booking(id int, account int)",
                "create function book() returns trigger language plpgsql as $$ begin"
                        + " update account set balance = balance - 1 where id = new.account; return new; end $$",
                "create trigger book before insert on booking for each row execute function book()");
        lock(locker, 7);

        assertRefusedAsLocked("insert into booking values (1, 7)");
        writer.execute("insert into booking values (1, 8)");
    }

    /** The apply workers of logical replication, and restores with disabled triggers, have this setting. */
    @Test
    void aReplicaSessionPasses() throws Exception {
        lock(locker, 7);
        writer.execute("set session_replication_role = replica");

        writer.execute("update account set balance = 0 where id = 7");
        writer.rollback();
    }

    @Test
    void rowsOfPartitionsAreRefusedUnderTheKeyOfTheRootEvenWhenAttachedLater() throws Exception {
        database.execute(
                "create table measure(id int, day date, v int, primary key (id, day)) partition by range (day)",
                "create table measure_06 partition of measure for values from ('2026-06-01') to ('2026-07-01')",
                "create table measure_07(v int, day date not null, dropped int, id int not null)",
                "alter table measure_07 drop dropped",
                Install.guard("measure", BUDGET),
                "alter table measure attach partition measure_07 for values from ('2026-07-01') to ('2026-08-01')",
                "insert into measure values (1, '2026-06-01'), (1, '2026-07-01')");
        for (String day : List.of("2026-06-01", "2026-07-01")) {
            lock(locker, LockKey.row("measure", 1, LocalDate.parse(day)), RowLockMode.FOR_UPDATE);
            for (String table : List.of("measure", "measure_" + day.substring(5, 7))) {
                assertRefusedAsLocked("update " + table + " set v = 1 where day = '" + day + "'");
                assertRefusedAsLocked("delete from " + table + " where day = '" + day + "'");
            }
            // PostgreSQL moves a row to another partition by a DELETE and an INSERT.
            assertRefusedAsLocked("update measure set day = '2026-06-02', id = 2 where day = '" + day + "'");
            locker.commit();
            writer.execute("update measure set v = 1 where day = '" + day + "'");
            writer.rollback();
        }
        writer.execute("update measure set day = '2026-06-02' where day = '2026-07-01'");
    }

    @Test
    void aRowWithoutTheColumnsGivenCannotBeLockedAndPasses() throws Exception {
        database.execute(
                "create table orders(id int primary key, number text unique, note text)",
                "insert into orders values (1, 'A-1'), (2, null)",
                Install.guard("orders", BUDGET, "number"));
        RowLocks byNumber = LockAccess.builder()
                .strategy(LockStrategy.ADVISORY)
                .idColumns("orders", "number")
                .build();
        locker.run(c -> byNumber.in(c).lock(forUpdate(LockKey.row("orders", "A-1"))));

        assertRefusedAsLocked("update orders set note = 'x' where id = 1");
        writer.execute("update orders set note = 'x' where id = 2");
        assertThat(writer.advisoryLocks()).isZero();
    }

    @Test
    void pastTheBudgetAWriterIsRefusedAndHoldsNoMore() throws Exception {
        writer.execute("update account set balance = 0 where id <= " + BUDGET);
        assertThat(writer.advisoryLocks()).isEqualTo(BUDGET);
        writer.execute("savepoint s");

        assertThatThrownBy(() -> writer.execute("update account set balance = 0 where id = 500"))
                .hasMessageContainingAll(
                        "has written " + BUDGET + " rows of " + database.schema() + ".account and other",
                        "lock table of the server",
                        "rowlock.guard = off")
                .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("54000"));
        writer.execute("rollback to savepoint s");
        assertThat(writer.advisoryLocks()).isEqualTo(BUDGET);
        // Rows whose keys the writer holds can be written again.
        writer.execute("update account set balance = 1 where id <= " + BUDGET);
    }

    @Test
    void theBudgetIsOfTheTransaction() throws Exception {
        for (int from = 1; from < 5 * BUDGET; from += BUDGET) {
            writer.execute("update account set balance = 0 where id between " + from + " and " + (from + BUDGET - 1));
            writer.commit();
        }
        writer.execute("savepoint s");
        writer.execute("update account set balance = 0 where id <= " + BUDGET);
        writer.execute("rollback to savepoint s");
        writer.execute("update account set balance = 0 where id between 101 and " + (100 + BUDGET));
        assertRefused(writer, "update account set balance = 0 where id = 200", "54000");
    }

    @Test
    void theSameRowManyTimesIsOneRow() throws Exception {
        for (int i = 0; i < 5 * BUDGET; i++) {
            writer.execute("update account set balance = balance + 1 where id = 7");
        }
        assertThat(writer.advisoryLocks()).isOne();
        writer.commit();
    }

    /** A program may lock more rows than the guard's budget, because the program has a budget of its own. */
    @Test
    void rowsThatAreLockedDoNotCount() throws Exception {
        List<Integer> ids = IntStream.rangeClosed(1, 5 * BUDGET).boxed().toList();
        locker.run(c -> locks.in(c).lock(forUpdate(LockKey.rows("account", ids))));

        locker.execute("update account set balance = 0 where id <= " + 5 * BUDGET);
        locker.execute("update account set balance = 1 where id <= " + 5 * BUDGET);
    }

    @Test
    void aRoleThatMayTurnsTheGuardOffAndIsWarnedOf() throws Exception {
        lock(locker, 7);
        writer.execute("set local rowlock.guard = off");
        SQLWarning warning = writer.run((Connection c) -> {
            try (Statement statement = c.createStatement()) {
                statement.execute("update account set balance = 0");
                return statement.getWarnings();
            }
        });

        assertThat(warning.getMessage())
                .contains("rowlock.guard is off", database.schema() + ".account", "locks other transactions may hold");
        assertThat((Object) warning.getNextWarning()).isNull();
        assertThat(writer.advisoryLocks()).isZero();
        writer.rollback();
        // The setting ended with the transaction.
        assertRefusedAsLocked("update account set balance = 0 where id = 7");
        writer.execute("set rowlock.guard = on");
        writer.commit();
        assertRefusedAsLocked("update account set balance = 0 where id = 7");
    }

    /** While the job locks the table, no locker holds a row, so the job needs no keys. */
    @Test
    void aBulkJobThatLocksTheTableWaitsForLockersAndKeepsThemOut() throws Exception {
        lock(locker, 7);
        Step<Boolean> locked = writer.startExecute("lock table account in exclusive mode");
        locked.awaitBlockedBy(locker);
        locker.commit();
        locked.get();
        writer.execute("set local rowlock.guard = off");
        writer.execute("update account set balance = 0");

        Step<LockResult> next = startLock(locker, locks, forUpdate(LockKey.row("account", 7)));
        next.awaitBlockedBy(writer);
        writer.commit();
        next.get();
    }

    @Test
    void anUnknownSettingIsRefused() throws Exception {
        writer.execute("set local rowlock.guard = 'of'");

        assertThatThrownBy(() -> writer.execute("update account set balance = 0 where id = 7"))
                .hasMessageContainingAll("rowlock.guard is <of>", "on or off");
    }

    @Test
    void aPlainWriterBehindARowLockIsRefusedOrWritesBehindTheHolder() throws Exception {
        lock(locker, 7);
        locker.execute("update account set balance = 101 where id = 7");
        Step<Boolean> written = writer.startExecute("update account set balance = balance + 10 where id = 7");
        written.awaitBlockedBy(locker);
        locker.commit();

        // The server releases the row a moment before the key, so both outcomes are possible.
        boolean refused = false;
        try {
            written.get();
            writer.commit();
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("55P03");
            refused = true;
        }
        assertThat(database.query("select balance from account where id = 7")).isEqualTo(refused ? "101" : "111");
    }
}
