package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.LockStrategy.ADVISORY;
import static org.rowlock.LockStrategy.BOTH;
import static org.rowlock.LockStrategy.ROW;
import static org.rowlock.RowLockMode.FOR_NO_KEY_UPDATE;
import static org.rowlock.RowLockMode.FOR_UPDATE;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.startLock;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Pools;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/**
 * Many threads read, compute and write under locks of every kind, while connections are terminated and transactions
 * rolled back at random. At the end the sum is exact.
 */
@Tag("long")
class LostUpdateTest {
    private static final int WORKERS = 8;
    private static final String ON_PURPOSE = "ROLLB";
    private static final int OPERATIONS = 100;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(Bank.TABLES);

    private Bank bank;

    @BeforeEach
    void open() {
        bank = new Bank(database);
    }

    static Stream<Arguments> instancesSideBySide() {
        int readCommitted = Connection.TRANSACTION_READ_COMMITTED;
        return Stream.of(
                Arguments.of(List.of(ROW), readCommitted, List.of(LockFront.ADAPTIVE)),
                Arguments.of(List.of(ROW), readCommitted, List.of(LockFront.ALWAYS, LockFront.NEVER)),
                Arguments.of(List.of(BOTH), readCommitted, List.of(LockFront.ADAPTIVE)),
                Arguments.of(List.of(ADVISORY), readCommitted, List.of(LockFront.ADAPTIVE)),
                Arguments.of(List.of(ROW, BOTH), readCommitted, List.of(LockFront.ALWAYS)),
                Arguments.of(List.of(BOTH, ADVISORY), readCommitted, List.of(LockFront.ADAPTIVE)),
                Arguments.of(List.of(BOTH), Connection.TRANSACTION_REPEATABLE_READ, List.of(LockFront.ADAPTIVE)));
    }

    @ParameterizedTest
    @MethodSource("instancesSideBySide")
    void nothingIsLost(List<LockStrategy> strategies, int isolation, List<LockFront> fronts) throws Exception {
        List<RowLocks> instances = strategies.stream()
                .flatMap(strategy -> fronts.stream()
                        .map(front -> LockAccess.builder()
                                .strategy(strategy)
                                .front(front)
                                .build()))
                .toList();
        try (Connection administrator = database.dataSource().getConnection();
                HikariDataSource pool = pool(isolation)) {
            List<Worker> workers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                workers.add(new Worker(i, instances.get(i % instances.size()), isolation, pool, administrator));
            }
            Threads.run(WORKERS, number -> workers.get(number).run());
            assertThat(workers).as("terminations").anyMatch(worker -> worker.lost.get() > 0);
        }
        assertThat(bank.commits()).isGreaterThan(WORKERS * OPERATIONS / 4);
        bank.check();
        for (RowLocks instance : instances) {
            assertThat(LockAccess.of(instance).calls().queues().keysInUse()).isZero();
        }
    }

    private HikariDataSource pool(int isolation) {
        HikariDataSource pool = Pools.of(database.dataSource(), 3);
        pool.setTransactionIsolation(
                isolation == Connection.TRANSACTION_REPEATABLE_READ
                        ? "TRANSACTION_REPEATABLE_READ"
                        : "TRANSACTION_READ_COMMITTED");
        return pool;
    }

    /** One client of the bank, with a connection of its own. */
    private final class Worker {
        final AtomicInteger lost = new AtomicInteger();
        private final Random random;
        private final RowLocks locks;
        private final int isolation;
        private final HikariDataSource pool;
        private final Connection administrator;
        private Connection connection;
        private long transaction;
        private long amount;
        private boolean hasWritten;
        private boolean isOutcomeOpen;

        Worker(int number, RowLocks locks, int isolation, HikariDataSource pool, Connection administrator) {
            this.random = new Random(number);
            this.locks = locks;
            this.isolation = isolation;
            this.pool = pool;
            this.administrator = administrator;
        }

        void run() throws SQLException {
            for (int i = 0; i < OPERATIONS; i++) {
                begin();
                try {
                    operate();
                } catch (SQLException | RowlockException e) {
                    end(e);
                }
            }
            connection.close();
        }

        private void begin() throws SQLException {
            while (connection == null || connection.isClosed()) {
                try {
                    connection = database.dataSource().getConnection();
                    connection.setTransactionIsolation(isolation);
                    connection.setAutoCommit(false);
                } catch (SQLException terminatedAtOnce) {
                    refuseUnexpected(terminatedAtOnce);
                }
            }
            transaction = bank.newTransaction();
            amount = 0;
            hasWritten = false;
            isOutcomeOpen = false;
        }

        private void operate() throws SQLException {
            if (random.nextInt(40) == 0) {
                terminateSomebody();
            }
            boolean lockMustBeFirst = isolation != Connection.TRANSACTION_READ_COMMITTED;
            switch (random.nextInt(lockMustBeFirst ? 6 : 8)) {
                case 0 -> {
                    deposit(account(), mode(), wait(0));
                    endAtRandom();
                }
                case 1 -> {
                    depositByQuery();
                    endAtRandom();
                }
                case 2 -> {
                    transfer(wait(0));
                    endAtRandom();
                }
                case 3 -> {
                    readSeveral();
                    endAtRandom();
                }
                case 4 -> {
                    // What was not to be had leaves the transaction usable.
                    if (locks.in(connection)
                            .tryLock(Requests.waiting(LockRequest.of(mode(), List.of(Bank.key(account()))), wait(1)))
                            .isHeld()) {
                        connection.rollback();
                    }
                    transfer(LockWait.FOREVER);
                    endAtRandom();
                }
                case 5 -> inPooledTransaction();
                case 6 -> {
                    Savepoint savepoint = connection.setSavepoint();
                    depositInVain(account());
                    connection.rollback(savepoint);
                    deposit(account(), mode(), LockWait.FOREVER);
                    endAtRandom();
                }
                default -> {
                    int n = account();
                    RowLockMode mode = mode();
                    locks.in(connection).lock(LockRequest.of(mode, List.of(Bank.key(n))));
                    Savepoint savepoint = connection.setSavepoint();
                    depositInVain(n);
                    connection.rollback(savepoint);
                    changeBalance(connection, n, 1 + random.nextInt(9));
                    endAtRandom();
                }
            }
        }

        private int account() {
            return random.nextInt(Bank.ACCOUNTS);
        }

        private RowLockMode mode() {
            return random.nextBoolean() ? FOR_UPDATE : FOR_NO_KEY_UPDATE;
        }

        /** @param from 0 for all three waits, 1 for the two that end */
        private LockWait wait(int from) {
            return switch (from + random.nextInt(3 - from)) {
                case 0 -> LockWait.FOREVER;
                case 1 -> LockWait.NO_WAIT;
                default -> LockWait.atMost(Duration.ofMillis(1 + random.nextInt(20)));
            };
        }

        private void deposit(int n, RowLockMode mode, LockWait wait) throws SQLException {
            assertThat(locks.in(connection)
                            .lock(Requests.waiting(LockRequest.of(mode, List.of(Bank.key(n))), wait))
                            .isHeld())
                    .isTrue();
            changeBalance(connection, n, 1 + random.nextInt(9));
        }

        private void depositInVain(int n) throws SQLException {
            long valid = transaction;
            transaction = bank.newTransaction();
            bank.rolledBack(transaction);
            deposit(n, FOR_UPDATE, LockWait.FOREVER);
            transaction = valid;
            amount = 0;
            hasWritten = false;
        }

        private void depositByQuery() throws SQLException {
            int n = account();
            List<Long> balance = locks.in(connection)
                    .lockAndRead(
                            Requests.waiting(LockRequest.of(mode(), List.of(Bank.key(n))), wait(0)),
                            Bank.balanceQuery(n),
                            row -> row.getLong(1),
                            n);
            changeBalance(connection, n, balance.get(0), -1 - random.nextInt(9));
        }

        private void transfer(LockWait wait) throws SQLException {
            int from = account();
            int to = (from + 1 + random.nextInt(Bank.ACCOUNTS - 1)) % Bank.ACCOUNTS;
            locks.in(connection)
                    .lock(Requests.waiting(LockRequest.of(mode(), List.of(Bank.key(from), Bank.key(to))), wait));
            int sum = random.nextInt(50);
            changeBalance(connection, from, -sum);
            changeBalance(connection, to, sum);
        }

        private void changeBalance(Connection in, int n, long by) throws SQLException {
            changeBalance(in, n, Bank.balance(in, n), by);
        }

        private void changeBalance(Connection in, int n, long balanceRead, long by) throws SQLException {
            Bank.write(in, transaction, n, balanceRead, by);
            amount += by;
            hasWritten = true;
        }

        /** Nobody changes what is locked shared, and what is read is not stale. */
        private void readSeveral() throws SQLException {
            int[] accounts = random.ints(0, Bank.ACCOUNTS).distinct().limit(3).toArray();
            List<LockKey> keys = Arrays.stream(accounts).mapToObj(Bank::key).toList();
            locks.in(connection).lock(Requests.waiting(forShare(keys), wait(0)));
            for (int n : accounts) {
                long balance = Bank.balance(connection, n);
                assertThat(balance).isEqualTo(Bank.balanceByLedger(connection, n));
                assertThat(balance).isEqualTo(Bank.balance(connection, n));
            }
        }

        private void inPooledTransaction() throws SQLException {
            int n = account();
            boolean fails = random.nextInt(5) == 0;
            try {
                locks.on(pool)
                        .lock(Requests.waiting(LockRequest.of(mode(), List.of(Bank.key(n))), wait(0)))
                        .<Object, SQLException>inTransaction(tx -> {
                            changeBalance(tx.connection(), n, 3);
                            if (fails) {
                                throw new SQLException("to roll back", ON_PURPOSE);
                            }
                            isOutcomeOpen = true;
                            return null;
                        });
            } catch (SQLException | RowlockException e) {
                endOutcome();
                // This worker's own connection has no part in it.
                if (!(e instanceof SQLException failure && ON_PURPOSE.equals(failure.getSQLState()))) {
                    refuseUnexpected(e);
                }
                return;
            }
            bank.committed(transaction, amount);
        }

        private void endAtRandom() throws SQLException {
            if (random.nextInt(8) == 0) {
                bank.rolledBack(transaction);
                connection.rollback();
            } else {
                isOutcomeOpen = true;
                connection.commit();
                if (hasWritten) {
                    bank.committed(transaction, amount);
                }
            }
        }

        private void endOutcome() {
            if (isOutcomeOpen) {
                bank.unknown(transaction, amount);
            } else {
                bank.rolledBack(transaction);
            }
        }

        private void end(Exception e) throws SQLException {
            endOutcome();
            refuseUnexpected(e);
            if (e instanceof LockNotAvailableException || e instanceof LockSerializationException) {
                try {
                    connection.rollback();
                    return;
                } catch (SQLException lostMeanwhile) {
                    refuseUnexpected(lostMeanwhile);
                }
            }
            connection.close();
        }

        /** A deadlock would be unexpected, as would be a serialization failure in READ COMMITTED. */
        private void refuseUnexpected(Exception e) {
            boolean isolated = isolation != Connection.TRANSACTION_READ_COMMITTED;
            if (e instanceof LockNotAvailableException || (isolated && e instanceof LockSerializationException)) {
                return;
            }
            String state = e instanceof SQLException failure
                    ? failure.getSQLState()
                    : ((RowlockException) e).sqlState().orElse("");
            if (state == null || !(state.startsWith("08") || state.equals("57P01"))) {
                throw new AssertionError("unexpected", e);
            }
            if (e instanceof RowlockException) {
                assertThat(e).isInstanceOfAny(LockConnectionLostException.class, CommitOutcomeUnknownException.class);
            }
            lost.incrementAndGet();
        }

        private void terminateSomebody() throws SQLException {
            synchronized (administrator) {
                try (PreparedStatement statement = administrator.prepareStatement(
                        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = ?"
                                + " and pid <> pg_backend_pid() and state <> 'idle' order by random() limit 1")) {
                    statement.setString(1, database.schema());
                    statement.execute();
                }
            }
        }
    }

    /** The control: two instances that do not exclude each other lose an update, and the bank notices. */
    @ParameterizedTest
    @CsvSource({"ROW, ADVISORY", "ADVISORY, ROW"})
    void rowNextToAdvisoryLosesUpdates(LockStrategy first, LockStrategy second, Session alice, Session bob)
            throws Exception {
        lock(alice, first, Bank.key(1)).get();
        long seenByAlice = read(alice);
        lock(bob, second, Bank.key(1)).get();
        // Whoever holds the row lock writes first.
        if (first == ROW) {
            writeBoth(alice, seenByAlice, bob, read(bob));
        } else {
            writeBoth(bob, read(bob), alice, seenByAlice);
        }
        assertThatThrownBy(bank::check)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("balance of account[-1]");
    }

    @Test
    void keysThatDifferBetweenInstancesLoseUpdates(Session alice, Session bob) throws Exception {
        lock(alice, ADVISORY, LockKey.row("account", "-1")).get();
        long seenByAlice = read(alice);
        lock(bob, ADVISORY, LockKey.name("account-1")).get();
        writeBoth(alice, seenByAlice, bob, read(bob));
        assertThatThrownBy(bank::check).isInstanceOf(AssertionError.class);
    }

    @Test
    void withoutLocksUpdatesAreLost(Session alice, Session bob) throws Exception {
        writeBoth(alice, read(alice), bob, read(bob));
        assertThatThrownBy(bank::check).isInstanceOf(AssertionError.class);
    }

    @ParameterizedTest
    @CsvSource({
        "ROW, ROW",
        "ROW, BOTH",
        "BOTH, ROW",
        "BOTH, BOTH",
        "BOTH, ADVISORY",
        "ADVISORY, BOTH",
        "ADVISORY, ADVISORY"
    })
    void neighbouringStrategiesLoseNothingInTheSameSchedule(
            LockStrategy first, LockStrategy second, Session alice, Session bob) throws Exception {
        lock(alice, first, Bank.key(1)).get();
        long seenByAlice = read(alice);
        Step<LockResult> bobs = lock(bob, second, Bank.key(1)).awaitBlockedBy(alice);
        write(alice, seenByAlice, 10);
        alice.commit();
        bobs.get();
        write(bob, read(bob), 20);
        bob.commit();
        bank.check();
    }

    private static Step<LockResult> lock(Session session, LockStrategy strategy, LockKey key) {
        RowLocks locks = locks(strategy);
        return startLock(session, locks, forUpdate(key));
    }

    private static long read(Session session) throws Exception {
        return session.run(c -> Bank.balance(c, 1));
    }

    private void writeBoth(Session one, long seenByOne, Session other, long seenByOther) throws Exception {
        write(one, seenByOne, 10);
        one.commit();
        write(other, seenByOther, 20);
        other.commit();
    }

    private void write(Session session, long seen, long amount) throws Exception {
        long transaction = bank.newTransaction();
        session.startAction(c -> Bank.write(c, transaction, 1, seen, amount)).get();
        bank.committed(transaction, amount);
    }
}
