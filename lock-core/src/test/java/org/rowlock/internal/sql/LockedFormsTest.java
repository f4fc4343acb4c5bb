package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockKey.rows;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.TestDatabase.execute;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.Claim;
import org.rowlock.CommitWrites;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockedTransaction;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** What a request says counts in every form of a locked transaction, and one handle has all that the work needs. */
class LockedFormsTest {
    private static final BoundQuery<Long> BALANCES =
            BoundQuery.of("select balance from account order by id", found -> found.getLong(1));

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id bigint primary key, balance bigint not null)",
            "insert into account values (1, 10), (2, 20)");

    @EveryStrategy
    void aQueryBehindSeveralKeysTheConnectionAndTheWritesAreInOneHand(LockStrategy strategy) throws Exception {
        LockRequest request =
                forUpdate(row("account", 1)).and(LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(row("account", 2))));
        long sum = on(locks(strategy), database.dataSource())
                .lock(request)
                .read(BALANCES.sql(), BALANCES.mapper())
                .inTransaction(tx -> {
                    assertThat(tx.rows()).containsExactly(10L, 20L);
                    execute(tx.connection(), "update account set balance = balance + 1 where id = 1");
                    tx.atCommit("update account set balance = balance * 2 where id = ?", 1)
                            .expectOneRow();
                    return tx.rows().get(0) + balance(tx.connection());
                });
        assertThat(sum).isEqualTo(21);
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("22");
    }

    @EveryStrategy
    void modesAndWaitsOfTheRequestCountInEveryForm(RowLocks locks, Session other) throws Exception {
        other.run(c -> locks.in(c).lock(LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(row("account", 2)))));
        LockRequest shared =
                forUpdate(row("account", 1)).and(LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(row("account", 2))));
        LockRequest taken = forUpdate(rows("account", List.of(1, 2)));
        for (boolean wait : List.of(false, true)) {
            LockRequest free = wait ? shared.atMost(TestDatabase.DEADLINE) : shared.noWait();
            LockRequest busy = wait ? taken.atMost(Duration.ofMillis(20)) : taken.noWait();
            on(locks, database.dataSource()).lock(free).inTransaction(tx -> tx.atCommit(PLUS_ONE));
            on(locks, database.dataSource())
                    .lock(free)
                    .read(BALANCES.sql(), BALANCES.mapper())
                    .inTransaction(tx -> tx.atCommit(PLUS_ONE));
            on(locks, database.dataSource()).lock(free).execute(plusOne());
            assertThatThrownBy(() -> on(locks, database.dataSource()).lock(busy).inTransaction(LockedFormsTest::fail))
                    .isInstanceOf(LockNotAvailableException.class);
            assertThatThrownBy(() -> on(locks, database.dataSource())
                            .lock(busy)
                            .read(BALANCES.sql(), BALANCES.mapper())
                            .inTransaction(LockedFormsTest::fail))
                    .isInstanceOf(LockNotAvailableException.class);
            assertThatThrownBy(() -> on(locks, database.dataSource()).lock(busy).execute(plusOne()))
                    .isInstanceOf(LockNotAvailableException.class);
        }
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("16");
        other.rollback();
    }

    @EveryStrategy.WithRow
    void theWorkRunsInEveryFormIfAbsentRowsAreAllowed(RowLocks locks) throws Exception {
        LockRequest allowed = forUpdate(rows("account", List.of(1, 9))).allowAbsent();
        on(locks, database.dataSource())
                .lock(allowed)
                .useTransaction(tx -> assertThat(balance(tx.connection())).isEqualTo(10));
        on(locks, database.dataSource())
                .lock(allowed)
                .read(BALANCES.sql(), BALANCES.mapper())
                .useTransaction(tx -> assertThat(tx.rows()).containsExactly(10L, 20L));
        on(locks, database.dataSource()).lock(allowed).execute(plusOne());
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("11");
    }

    @EveryStrategy
    void aClaimComesWithTheConnectionToo(LockStrategy strategy) throws Exception {
        Claim claim = Claim.from("account").orderBy("id").limit(1);
        on(locks(strategy), database.dataSource())
                .claim(claim, found -> found.getLong("id"))
                .inTransaction(tx -> {
                    assertThat(tx.rows()).containsExactly(1L);
                    assertThat(balance(tx.connection())).isEqualTo(10);
                    return tx.atCommit(PLUS_ONE);
                });
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("11");
    }

    private static final String PLUS_ONE = "update account set balance = balance + 1 where id = 1";

    private static CommitWrites plusOne() {
        CommitWrites writes = new CommitWrites();
        writes.add(PLUS_ONE);
        return writes;
    }

    private static Object fail(LockedTransaction<?> locked) {
        throw new AssertionError("The work has run with " + locked.rows());
    }

    private static long balance(Connection connection) throws SQLException {
        return Long.parseLong(TestDatabase.query(connection, "select balance from account where id = 1"));
    }
}
