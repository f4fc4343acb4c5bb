package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import javax.sql.DataSource;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/**
 * Random transactions of several threads on few rows, some rolled back, some ended by the loss of their connection, and
 * one thread without the wrapper. The gate lets one at a time in, and holds nobody for long. What was committed is
 * there, once; no deadlock but where rows are locked in different orders; and nothing is left in the gate.
 */
@Tag("long")
class RandomSchedulesTest {
    private static final int THREADS = 6;
    private static final int ROWS = 3;
    private static final long LONGEST_WAIT = Duration.ofMillis(20).toNanos();

    /** Lost, by termination or by what follows it. */
    private static final Set<String> LOST = Set.of("57P01", "08006", "08003");

    private static final String DEADLOCK = "40P01";

    private enum Kind {
        READ("select balance from account where id = %d"),
        LOCK("select balance from account where id = %d for update"),
        LOCK_WEAKER("select balance from account where id = %d for no key update"),
        WRITE("update account set balance = balance + 1 where id = %d"),
        WRITE_NOTHING("update account set balance = balance + 1 where id = %d and balance < 0");

        private final String sql;

        Kind(String sql) {
            this.sql = sql;
        }
    }

    private enum End {
        COMMIT,
        ROLLBACK,
        LOSS
    }

    private record Step(Kind kind, int row) {}

    private record Transaction(List<Step> steps, End end) {
        Transaction sorted() {
            return new Transaction(
                    steps.stream().sorted(Comparator.comparing(Step::row)).toList(), end);
        }
    }

    private static TestDatabase database;
    private static GatedDatabase gated;
    private static GatedDatabase fronted;

    @BeforeContainer
    static void open() throws Exception {
        database = TestDatabase.accounts(ROWS, "create table entry(amount int not null)");
        database.beforeEach(null);
        gated = new GatedDatabase(database.dataSource(), DropInMode.QUEUE, GatedDatabase.queues(1, LONGEST_WAIT));
        gated.learn("account");
        fronted = new GatedDatabase(
                database.dataSource(), DropInMode.QUEUE, new KeyQueues(SometimesFront::new, LONGEST_WAIT));
        fronted.learn("account");
    }

    @AfterContainer
    static void close() throws Exception {
        database.afterEach(null);
    }

    /** Now a key goes in front, and now nothing: what is right must not depend on it. */
    private static final class SometimesFront implements QueuePolicy {
        private final Random random = new Random(1);

        @Override
        public int width(boolean kept, int waiting) {
            return 2;
        }

        @Override
        public long frontNanos(boolean always) {
            return random.nextBoolean() ? LONGEST_WAIT : 0;
        }

        @Override
        public @Nullable Question asks(int wanting, boolean grouped) {
            return random.nextInt(4) == 0 ? Question.values()[random.nextInt(2)] : null;
        }
    }

    @Provide
    Arbitrary<List<List<Transaction>>> programs() {
        Arbitrary<Step> step = Combinators.combine(
                        Arbitraries.of(Kind.values()), Arbitraries.integers().between(1, ROWS))
                .as(Step::new);
        Arbitrary<End> end =
                Arbitraries.frequency(Tuple.of(6, End.COMMIT), Tuple.of(2, End.ROLLBACK), Tuple.of(1, End.LOSS));
        return Combinators.combine(step.list().ofMinSize(1).ofMaxSize(4), end)
                .as(Transaction::new)
                .list()
                .ofSize(4)
                .list()
                .ofSize(THREADS);
    }

    @Property(tries = 30, shrinking = ShrinkingMode.OFF)
    void whatWasCommittedIsThereOnceAndNothingIsLeft(@ForAll("programs") List<List<Transaction>> program)
            throws Exception {
        run(gated, program, Set.of(DEADLOCK));
    }

    /** And the deadlocks are among rows alone, as without the wrapper: nobody in them waits for a lock in front. */
    @Property(tries = 30, shrinking = ShrinkingMode.OFF)
    void soItIsWithTheLockInFront(@ForAll("programs") List<List<Transaction>> program) throws Exception {
        run(fronted, program, Set.of(DEADLOCK));
        assertThat(fronted.figure("account", "fronted")).isPositive();
    }

    @Property(tries = 30, shrinking = ShrinkingMode.OFF)
    void inOneOrderThereIsNoDeadlockWithTheLockInFront(@ForAll("programs") List<List<Transaction>> program)
            throws Exception {
        run(fronted, inOneOrder(program), Set.of());
    }

    /** Each statement is the first lock of its transaction or comes behind rows of lower numbers. */
    @Property(tries = 30, shrinking = ShrinkingMode.OFF)
    void inOneOrderThereIsNoDeadlock(@ForAll("programs") List<List<Transaction>> program) throws Exception {
        run(gated, inOneOrder(program), Set.of());
    }

    private static List<List<Transaction>> inOneOrder(List<List<Transaction>> program) {
        return program.stream()
                .map(each -> each.stream()
                        .map(Transaction::sorted)
                        // One mode a row: raising a lock's mode deadlocks with the driver alone too.
                        .map(RandomSchedulesTest::inOneMode)
                        .toList())
                .toList();
    }

    private static Transaction inOneMode(Transaction transaction) {
        return new Transaction(
                transaction.steps().stream()
                        .map(step -> step.kind() == Kind.LOCK ? new Step(Kind.LOCK_WEAKER, step.row()) : step)
                        .toList(),
                transaction.end());
    }

    private static void run(GatedDatabase wrapped, List<List<Transaction>> program, Set<String> allowed)
            throws Exception {
        List<List<String>> states = Threads.query(
                THREADS,
                number -> runAll(number == 0 ? database.dataSource() : wrapped.dataSource, program.get(number)));
        assertThat(states).allSatisfy(each -> assertThat(each).isSubsetOf(allowed));
        assertThat(wrapped.gate.inside()).isZero();
        assertThat(wrapped.gate.queued()).isZero();
        assertThat(database.query("select sum(balance) from account"))
                .isEqualTo(database.query("select coalesce(sum(amount), 0) from entry"));
    }

    /** Whether somebody in a deadlock waited for an advisory lock, by what the server says of it. */
    private static boolean isOfALockInFront(SQLException e) {
        return DEADLOCK.equals(e.getSQLState()) && e.getMessage().contains("advisory lock");
    }

    /** What the transactions failed with, but for those that were to lose their connection. */
    private static List<String> runAll(DataSource dataSource, List<Transaction> transactions) throws SQLException {
        List<String> states = new ArrayList<>();
        for (Transaction transaction : transactions) {
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                run(connection, transaction);
            } catch (SQLException e) {
                if (transaction.end() != End.LOSS || !LOST.contains(e.getSQLState())) {
                    states.add(isOfALockInFront(e) ? e.getMessage() : e.getSQLState());
                }
            }
        }
        return states;
    }

    private static void run(Connection connection, Transaction transaction) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            int written = 0;
            for (Step step : transaction.steps()) {
                String sql = step.kind().sql.formatted(step.row());
                try (PreparedStatement prepared = connection.prepareStatement(sql)) {
                    written += prepared.execute() ? 0 : prepared.getUpdateCount();
                }
            }
            statement.execute("insert into entry values (" + written + ")");
            switch (transaction.end()) {
                case COMMIT -> connection.commit();
                case ROLLBACK -> connection.rollback();
                case LOSS -> statement.execute("select pg_terminate_backend(pg_backend_pid())");
            }
        }
    }
}
