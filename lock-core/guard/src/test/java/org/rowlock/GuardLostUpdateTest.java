package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.guard.Install;
import org.rowlock.internal.text.SqlState;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/**
 * Plain writers and ROW lockers run beside ADVISORY lockers. Updates are lost without the guard, and no update is lost
 * with the guard.
 */
@Tag("long")
class GuardLostUpdateTest {
    private static final int LOCKERS = 4;
    private static final int ROW_LOCKERS = 2;
    private static final int WRITERS = 3;
    private static final int TRANSACTIONS = 150;
    private static final int KILLS = 10;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(Bank.TABLES);

    private final RowLocks locks = locks(LockStrategy.ADVISORY);

    /** Row locks, which must never be used beside ADVISORY without the guard. */
    private final RowLocks rowLocks = locks(LockStrategy.ROW);

    private final Bank bank = new Bank(database);
    private final AtomicInteger refusals = new AtomicInteger();

    private void guard() throws SQLException {
        database.execute(Install.schemaAndGuard("account", "client", "shop"));
    }

    /**
     * The locker reads a balance under the lock. Then a plain writer tries to change the balance, and the locker writes
     * a balance that is based on its read. Returns whether the plain writer could write.
     */
    private boolean plainWriterComesBetween(Session locker, Session writer) throws Exception {
        lock(locker, locks, forUpdate(Bank.key(0)));
        long read = locker.run(c -> Bank.balance(c, 0));
        boolean written = true;
        try {
            writer.run(c -> addPlainly(c, bank.newTransaction(), 0, 7));
            writer.commit();
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("55P03");
            written = false;
        }
        writer.rollback();
        locker.startAction(c -> Bank.write(c, bank.newTransaction(), 0, read, 5))
                .get();
        locker.commit();
        return written;
    }

    private long error(int n) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return Bank.balance(connection, n) - Bank.balanceByLedger(connection, n);
        }
    }

    @Test
    void withoutTheGuardAPlainWritersUpdateIsLost(Session locker, Session writer) throws Exception {
        assertThat(plainWriterComesBetween(locker, writer)).isTrue();
        assertThat(error(0)).isEqualTo(-7);
    }

    @Test
    void withTheGuardItIsRefused(Session locker, Session writer) throws Exception {
        guard();
        assertThat(plainWriterComesBetween(locker, writer)).isFalse();
        assertThat(error(0)).isZero();
    }

    @Test
    void manyPlainWritersAndLockersLoseNothingEvenWhenSessionsDie() throws Exception {
        guard();
        AtomicBoolean done = new AtomicBoolean();
        Future<Boolean> killer = Threads.start(() -> {
            kill(done);
            return true;
        });
        try {
            Threads.run(LOCKERS + ROW_LOCKERS + WRITERS, thread -> {
                Work work = thread < LOCKERS
                        ? (connection, transaction, n, amount) -> addLocked(locks, connection, transaction, n, amount)
                        : thread < LOCKERS + ROW_LOCKERS
                                ? (connection, transaction, n, amount) ->
                                        addLocked(rowLocks, connection, transaction, n, amount)
                                : GuardLostUpdateTest::addPlainly;
                run(work, new Random(thread));
            });
        } finally {
            done.set(true);
        }
        assertThat(TestDatabase.result(killer)).isTrue();
        bank.check();
        assertThat(bank.commits()).isPositive();
        assertThat(refusals).as("writers that met a locker").hasPositiveValue();
    }

    /** The statements of a transaction, without its commit. */
    @FunctionalInterface
    private interface Work {
        void add(Connection connection, long transaction, int n, int amount) throws SQLException;
    }

    /**
     * Runs transactions in one session. A failed transaction is not repeated, so that lockers and plain writers
     * continue to meet.
     */
    private void run(Work work, Random random) throws SQLException {
        Connection connection = database.dataSource().getConnection();
        try {
            connection.setAutoCommit(false);
            for (int i = 0; i < TRANSACTIONS; i++) {
                int n = random.nextInt(Bank.ACCOUNTS);
                int amount = random.nextInt(19) - 9;
                long transaction = bank.newTransaction();
                boolean committing = false;
                try {
                    work.add(connection, transaction, n, amount);
                    committing = true;
                    connection.commit();
                    bank.committed(transaction, amount);
                } catch (SQLException | RowlockException e) {
                    String state = state(e);
                    if (SqlState.isConnectionLost(state)) {
                        if (committing) {
                            bank.unknown(transaction, amount);
                        } else {
                            bank.rolledBack(transaction);
                        }
                        connection = another(connection);
                        continue;
                    }
                    assertThat(state).as(e.toString()).isIn("55P03", "40P01");
                    if (state.equals("55P03")) {
                        refusals.incrementAndGet();
                    }
                    bank.rolledBack(transaction);
                    connection = rolledBack(connection);
                }
            }
        } finally {
            connection.close();
        }
    }

    private Connection rolledBack(Connection connection) throws SQLException {
        try {
            connection.rollback();
            return connection;
        } catch (SQLException ended) {
            return another(connection);
        }
    }

    private Connection another(Connection lost) throws SQLException {
        lost.close();
        Connection connection = database.dataSource().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static String state(Exception e) {
        SQLException cause = e instanceof SQLException sql ? sql : (SQLException) e.getCause();
        return SqlState.of(cause);
    }

    private static void addLocked(RowLocks locks, Connection connection, long transaction, int n, int amount)
            throws SQLException {
        locks.in(connection).lock(forUpdate(Bank.key(n)));
        Bank.write(connection, transaction, n, Bank.balance(connection, n), amount);
    }

    /** Changes a balance without a lock, like a job that does not use Rowlock. */
    private static int addPlainly(Connection connection, long transaction, int n, int amount) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                        "update " + Bank.table(n) + " set balance = balance + ? where n = ?");
                PreparedStatement insert = connection.prepareStatement("insert into ledger values (?, ?, ?)")) {
            update.setInt(1, amount);
            update.setInt(2, n);
            int rows = update.executeUpdate();
            insert.setLong(1, transaction);
            insert.setInt(2, n);
            insert.setLong(3, amount);
            insert.executeUpdate();
            return rows;
        }
    }

    /** Terminates sessions in the middle of their transactions, again and again during the run. */
    private void kill(AtomicBoolean done) throws SQLException {
        for (int kill = 1; kill <= KILLS; kill++) {
            int commits = kill * LOCKERS * TRANSACTIONS / KILLS;
            TestDatabase.await().until(() -> done.get() || bank.commits() >= commits);
            database.execute("select pg_terminate_backend(pid) from (select pid from pg_stat_activity"
                    + " where application_name = '" + database.schema() + "' and pid <> pg_backend_pid()"
                    + " and state <> 'idle' order by random() limit 1) as victim");
        }
    }
}
