package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockKey.rows;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.assertIllegal;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.TestDatabase.execute;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;

/** What a request says counts in every form of a locked transaction, and one handle has all that the work needs. */
class LockOperationTest {
    private static final String READ = "select balance from account where id <= ? order by id";
    private static final String ADD = "update account set balance = balance + 1 where id = ?";
    private static final RowMapper<Long> BALANCE = found -> found.getLong(1);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id bigint primary key, balance int)",
            "insert into account values (1, 10), (2, 20), (3, null), (4, 40)");

    private RowLocks locks;

    @BeforeEach
    void locks() {
        locks = RowLocks.of(database.dataSource());
    }

    /** The bound is of the wait for the row. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBoundLeavesOutTheWaitForThePool(boolean executes, Session alice, Session bob) throws Exception {
        Duration bound = Duration.ofSeconds(2);
        LockRequest request = forUpdate(row("account", 1));
        lock(bob, locks, request);
        Step<Long> call = alice.start(connection -> {
            DataSource slow = TestDataSource.of(() -> {
                long start = System.nanoTime();
                TestDatabase.await("the bound").until(() -> System.nanoTime() - start > bound.toNanos());
                return OneConnection.of(connection).getConnection();
            });
            LockOperation operation = on(locks, slow).lock(request.atMost(bound));
            return executes ? operation.execute(ADD, 1) : operation.inTransaction(tx -> 1L);
        });
        call.awaitBlockedBy(bob);
        bob.rollback();
        assertThat(call.get()).isOne();
    }

    private <R> R value(String sql, Class<R> type) throws SQLException {
        return locks.lock(forUpdate(row("account", 1)))
                .read("select " + sql, type)
                .inTransaction(LockedTransaction::row);
    }

    @Test
    void aNumberIsReadAsTheClassAsksWhateverTheWidthOfTheColumn() throws Exception {
        for (String column : List.of("7::int2", "7::int4", "7::int8", "7::numeric")) {
            assertThat(value(column, Long.class)).isEqualTo(7L);
            assertThat(value(column, Integer.class)).isEqualTo(7);
            assertThat(value(column, Short.class)).isEqualTo((short) 7);
            assertThat(value(column, Double.class)).isEqualTo(7.0);
            assertThat(value(column, Float.class)).isEqualTo(7f);
            assertThat(value(column, BigDecimal.class)).isEqualByComparingTo("7");
            assertThat(value(column, String.class)).isEqualTo("7");
        }
        assertThat(value("true", Boolean.class)).isTrue();
        assertThat(value("'\\x01ff'::bytea", byte[].class)).containsExactly(1, 255);
        assertThat(value("date '2026-11-26'", LocalDate.class)).isEqualTo("2026-11-26");
        UUID uuid = UUID.randomUUID();
        assertThat(value("'" + uuid + "'::uuid", UUID.class)).isEqualTo(uuid);
        assertThat(value("'" + uuid + "'::uuid", Object.class)).isEqualTo(uuid);
    }

    @Test
    void aNullIsReadAsNull() throws Exception {
        for (Class<?> type : List.of(Long.class, Integer.class, Boolean.class, String.class, LocalDate.class)) {
            assertThat((Object) value("null", type)).isNull();
        }
        List<Integer> balances = locks.lock(forUpdate(rows("account", 1, 3, 4)))
                .read(READ, Integer.class, 4)
                .inTransaction(LockedTransaction::rows);
        assertThat(balances).containsExactly(10, 20, null, 40);
    }

    @Test
    void theOnlyRowIsOneOrNothingIsStored() throws Exception {
        for (int most : new int[] {0, 2}) {
            assertThatThrownBy(() -> locks.lock(forUpdate(row("account", 1)))
                            .read(READ, Integer.class, most)
                            .useTransaction(tx -> {
                                tx.atCommit(ADD, 1);
                                tx.row();
                            }))
                    .isInstanceOf(UnexpectedRowCountException.class)
                    .hasMessageContainingAll(most == 0 ? "none was read" : "2 were read", "Use rows()");
        }
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("10");
    }

    @EveryStrategy
    void oneStatementSaysHowManyRowsItHasChanged(LockStrategy strategy) throws Exception {
        LockOperation operation = RowLocks.builder(database.dataSource())
                .strategy(strategy)
                .build()
                .lock(forUpdate(row("account", 1)));
        assertThat(operation.execute(ADD, 1)).isOne();
        assertThat(operation.execute(ADD, 1)).isOne();
        assertThat(operation.execute(ADD, 9)).isZero();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("12");
    }

    @Test
    void severalRowsAreLockedByTheirIds() throws Exception {
        LockRequest several = forUpdate(rows("account", 1, 2, 3));
        assertThat(several).isEqualTo(forUpdate(rows("account", List.of(1, 2, 3))));
        locks.lock(several).useTransaction(tx -> {
            LockResult other = tryLockElsewhere();
            assertThat(other.state()).isEqualTo(LockResult.State.TAKEN);
        });
        assertThat(tryLockElsewhere().state()).isEqualTo(LockResult.State.HELD);
    }

    private LockResult tryLockElsewhere() throws SQLException {
        try (var connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            LockResult result = locks.in(connection).tryLock(forUpdate(row("account", 3)));
            connection.rollback();
            return result;
        }
    }

    @Test
    void whatIsNullIsRefusedBeforeAnythingRuns() {
        assertIllegal(() -> RowLocks.of(null), "DataSource is null");
        assertIllegal(() -> locks.lock(null), "request is null");
        LockOperation operation = locks.lock(forUpdate(row("account", 1)));
        assertIllegal(() -> operation.read("select 1", (Class<Long>) null), "class of the value is null");
        assertIllegal(() -> operation.useTransaction(null), "work is null");
        assertIllegal(
                () -> operation.inTransaction((LockedTransaction.Work<Void, Integer, RuntimeException>) null),
                "work is null");
    }

    @EveryStrategy
    void aQueryBehindSeveralKeysTheConnectionAndTheWritesAreInOneHand(RowLocks own) throws Exception {
        long sum = own.on(database.dataSource())
                .lock(firstAndReference())
                .read(READ, BALANCE, 2)
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

    private static LockRequest firstAndReference() {
        return forUpdate(row("account", 1)).and(reference());
    }

    private static LockRequest reference() {
        return LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(row("account", 2)));
    }

    @EveryStrategy
    void modesAndWaitsOfTheRequestCountInEveryForm(RowLocks own, Session other) throws Exception {
        lock(other, own, reference());
        RowLocks whole = own.on(database.dataSource());
        LockRequest taken = forUpdate(rows("account", 1, 2));
        for (boolean wait : List.of(false, true)) {
            LockRequest free = wait
                    ? firstAndReference().atMost(TestDatabase.DEADLINE)
                    : firstAndReference().noWait();
            LockRequest busy = wait ? taken.atMost(Duration.ofMillis(20)) : taken.noWait();
            whole.lock(free).inTransaction(tx -> tx.atCommit(ADD, 1));
            whole.lock(free).read(READ, BALANCE, 2).inTransaction(tx -> tx.atCommit(ADD, 1));
            whole.lock(free).execute(ADD, 1);
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> whole.lock(busy).inTransaction(tx -> fail("The work has run")),
                    () -> whole.lock(busy).read(READ, BALANCE, 2).inTransaction(tx -> fail("The work has run")),
                    () -> whole.lock(busy).execute(ADD, 1))) {
                assertThatThrownBy(call).isInstanceOf(LockNotAvailableException.class);
            }
        }
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("16");
    }

    @EveryStrategy.WithRow
    void theWorkRunsInEveryFormIfAbsentRowsAreAllowed(RowLocks own) throws Exception {
        LockOperation allowed = own.on(database.dataSource())
                .lock(forUpdate(rows("account", 1, 9)).allowAbsent());
        allowed.useTransaction(tx -> assertThat(balance(tx.connection())).isEqualTo(10));
        allowed.read(READ, BALANCE, 2)
                .useTransaction(tx -> assertThat(tx.rows()).containsExactly(10L, 20L));
        allowed.execute(ADD, 1);
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("11");
    }

    @EveryStrategy
    void aClaimComesWithTheConnectionToo(RowLocks own) throws Exception {
        own.on(database.dataSource())
                .claim(Claim.from("account").orderBy("id").limit(1), found -> found.getLong("id"))
                .inTransaction(tx -> {
                    assertThat(tx.rows()).containsExactly(1L);
                    assertThat(balance(tx.connection())).isEqualTo(10);
                    return tx.atCommit(ADD, 1);
                });
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("11");
    }

    private static long balance(Connection connection) throws SQLException {
        return Long.parseLong(TestDatabase.query(connection, "select balance from account where id = 1"));
    }
}
