package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockFront;
import org.rowlock.jdbc.Waiters.Waiter;
import org.rowlock.jdbc.internal.settings.JdbcSettings;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/**
 * Members drawn at random. Each UPDATE leaves a tag of its own in its row, beside the balance: what is acknowledged is
 * there once, what has failed is not there, and what is unknown is there once or not at all.
 */
class GroupStormTest {
    private static final int THREADS = 16;
    private static final int ROWS = 2;
    private static final String UPDATE =
            "update account set balance = balance + ?, code = coalesce(?, code), other = ?,"
                    + " log = log || ?, at = array_append(at, now()) where id = ? and balance >= ?";

    @RegisterExtension
    final TestDatabase database = tables();

    @RegisterExtension
    final TestDatabase byHand = tables();

    private static TestDatabase tables() {
        return new TestDatabase(
                "create table other(id int primary key)",
                "insert into other values (0), (1)",
                "create table account(id int primary key, balance int not null default 0 check (balance >= 0),"
                        + " code int unique, other int references other, log text not null default '',"
                        + " at timestamptz[] not null default '{}')",
                "insert into account(id, code) select g, g from generate_series(1, 4) g");
    }

    /** One member; what it may meet is an unmet condition, or one of the constraints. */
    private record Drawn(String tag, int row, int amount, Integer code, int other, int least) {
        /** @param oneIn of so many one each meets a constraint, or the condition */
        static Drawn of(Random random, int id, int oneIn) {
            int kind = random.nextInt(oneIn);
            return new Drawn(
                    "/" + id,
                    random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(ROWS),
                    kind == 0 ? -1_000_000 : 1,
                    kind == 1 ? Integer.valueOf(4) : null,
                    kind == 2 ? 9 : random.nextInt(2),
                    kind == 3 ? 1_000_000 : 0);
        }

        int run(Connection connection, int seconds) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(UPDATE)) {
                statement.setQueryTimeout(seconds);
                statement.setInt(1, amount);
                if (code == null) {
                    statement.setNull(2, Types.INTEGER);
                } else {
                    statement.setInt(2, code);
                }
                statement.setInt(3, other);
                statement.setString(4, tag);
                statement.setInt(5, row);
                statement.setInt(6, least);
                return statement.executeUpdate();
            }
        }

        String told(Connection connection) {
            try {
                return String.valueOf(run(connection, 0));
            } catch (SQLException e) {
                return e.getSQLState();
            }
        }
    }

    /** The same ones, one at a time and in the same order, through the driver alone say what is right. */
    @Test
    void theOutcomeOfEachIsThatOfOneAfterTheOther() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        GatedDatabase gated = GatedDatabase.inGroups(database, 64);
        gated.learn("account");
        for (int round = 0; round < 12; round++) {
            List<Drawn> drawn = new ArrayList<>();
            int members = 2 + random.nextInt(7);
            boolean failing = random.nextBoolean();
            while (drawn.size() < members) {
                Drawn next = Drawn.of(random, drawn.size(), 20);
                if (next.row == 1 && (failing || next.amount > 0 && next.code == null && next.other < 9)) {
                    drawn.add(next);
                }
            }
            List<Waiter<String>> waiting = new ArrayList<>();
            try (Waiters waiters = new Waiters(database, gated)) {
                for (Drawn each : drawn) {
                    waiting.add(waiters.add(each::told));
                }
                waiters.release();
                try (Connection plain = byHand.dataSource().getConnection()) {
                    for (int i = 0; i < drawn.size(); i++) {
                        assertThat(waiting.get(i).get())
                                .as("seed %s, round %s, %s of %s", seed, round, i, drawn)
                                .isEqualTo(drawn.get(i).told(plain));
                    }
                }
            }
            String rows =
                    "select string_agg(concat_ws(',', id, balance, code, other, log), ';' order by id) from account";
            assertThat(database.query(rows)).as("seed %s", seed).isEqualTo(byHand.query(rows));
        }
        assertThat(gated.figure("account", "grouped")).isPositive();
    }

    private enum Told {
        NOTHING,
        STORED,
        FAILED,
        UNKNOWN
    }

    /** What goes on until so many are done. */
    private final class Storm {
        private final int members;
        private final int evils;
        private final long seed = System.nanoTime();
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicIntegerArray outcomes;
        private final AtomicReferenceArray<Thread> threads = new AtomicReferenceArray<>(THREADS);
        private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
        private int killed;

        /** @param evils how many members pass between two disturbances */
        Storm(int members, int evils) {
            this.members = members;
            this.evils = evils;
            this.outcomes = new AtomicIntegerArray(members);
        }

        GatedDatabase run() throws Exception {
            Random random = new Random(seed);
            try (TcpProxy proxy = TcpProxy.to(database.dataSource());
                    HikariDataSource pool = new HikariDataSource()) {
                PGSimpleDataSource through = proxy.through(database.dataSource());
                through.setApplicationName(database.schema() + "_storm");
                GatedDatabase gated = new GatedDatabase(
                        through,
                        new JdbcSettings(
                                "storm",
                                RowlockMode.QUEUE,
                                List.of(),
                                List.of(),
                                LockFront.values()[random.nextInt(3)],
                                2 << random.nextInt(6),
                                false),
                        GatedDatabase.queues(
                                1 + random.nextInt(2), Duration.ofSeconds(1).toNanos()));
                pool.setDataSource(gated.dataSource);
                pool.setMaximumPoolSize(THREADS);
                pool.setConnectionTimeout(TestDatabase.DEADLINE.toMillis());
                gated.learn("account");
                List<Thread> workers = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    int place = i;
                    Random own = new Random(random.nextLong());
                    Thread worker = new Thread(() -> work(pool, place, own));
                    worker.setDaemon(true);
                    threads.set(i, worker);
                    workers.add(worker);
                }
                workers.forEach(Thread::start);
                disturb(proxy, random);
                for (Thread each : workers) {
                    each.join(TestDatabase.DEADLINE.toMillis());
                    assertThat(each.isAlive())
                            .as("a caller that never came back")
                            .isFalse();
                }
                assertThat(gated.gate.queued()).isZero();
                assertThat(gated.gate.inside()).isZero();
                check();
                return gated;
            }
        }

        private void work(HikariDataSource pool, int place, Random random) {
            for (int id = next.getAndIncrement(); id < members; id = next.getAndIncrement()) {
                Told outcome = Told.NOTHING;
                Drawn drawn = Drawn.of(random, id, 100);
                try (Connection connection = pool.getConnection()) {
                    outcome = drawn.run(connection, random.nextInt(10) == 0 ? 1 : 0) == 1 ? Told.STORED : Told.FAILED;
                } catch (SQLException e) {
                    String state = String.valueOf(e.getSQLState());
                    boolean lost = state.startsWith("08") || state.startsWith("57P");
                    // A connection that was lost afterwards fails when it is closed.
                    outcome = outcome != Told.NOTHING ? outcome : lost ? Told.UNKNOWN : Told.FAILED;
                    boolean own = !state.startsWith("23")
                            || (state.equals("23514") && drawn.amount < 0)
                            || (state.equals("23505") && drawn.code != null)
                            || (state.equals("23503") && drawn.other == 9);
                    if (!own) {
                        wrong.add(id + ": was told of another's failure: " + e);
                    }
                } catch (Throwable e) {
                    wrong.add(id + ": " + e);
                }
                // Not before the next one, which it would be for.
                boolean unused = Thread.interrupted();
                outcomes.set(id, outcome.ordinal());
            }
            threads.set(place, null);
        }

        /** Now and then: not by the clock, but by how many are done. */
        private void disturb(TcpProxy proxy, Random random) throws SQLException {
            int evil = 0;
            try (Connection connection = database.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                while (next.get() < members) {
                    LockSupport.parkNanos(1_000_000);
                    int done = next.get();
                    if (done <= evil * evils) {
                        continue;
                    }
                    evil = done / evils + 1;
                    switch (random.nextInt(6)) {
                        case 0 -> proxy.cutAll();
                        case 1, 2 -> killed += end(statement, "pg_terminate_backend", random);
                        case 3, 4 -> end(statement, "pg_cancel_backend", random);
                        default -> {
                            Thread thread = threads.get(random.nextInt(THREADS));
                            if (thread != null) {
                                thread.interrupt();
                            }
                        }
                    }
                }
            }
        }

        private int end(Statement statement, String how, Random random) throws SQLException {
            try (ResultSet row = statement.executeQuery("select " + how + "(pid) from (select pid from pg_stat_activity"
                    + " where application_name = '" + database.schema() + "_storm' and state <> 'idle'"
                    + " offset " + random.nextInt(3) + " limit 1) as p")) {
                return row.next() && row.getBoolean(1) ? 1 : 0;
            }
        }

        private void check() throws SQLException {
            int[] stored = new int[members];
            long balances = Long.parseLong(database.query("select sum(balance) from account"));
            for (String tag :
                    database.query("select string_agg(log, '') from account").split("/", -1)) {
                if (!tag.isEmpty()) {
                    stored[Integer.parseInt(tag)]++;
                    balances--;
                }
            }
            assertThat(balances).as("seed " + seed).isZero();
            for (int id = 0; id < members; id++) {
                Told outcome = Told.values()[outcomes.get(id)];
                boolean right = switch (outcome) {
                    case NOTHING -> false;
                    case STORED -> stored[id] == 1;
                    case FAILED -> stored[id] == 0;
                    case UNKNOWN -> stored[id] <= 1;
                };
                if (!right) {
                    wrong.add(id + ": told " + outcome + ", stored " + stored[id] + " times");
                }
            }
            assertThat(wrong).as("seed " + seed).isEmpty();
        }
    }

    @Test
    void whatIsAcknowledgedIsThereOnce() throws Exception {
        GatedDatabase gated = new Storm(1_000, 40).run();
        assertThat(gated.figure("account", "grouped")).isPositive();
    }

    /** As many as the property rowlock.test.group.members says. */
    @Test
    @Tag("long")
    void whatIsAcknowledgedIsThereOnceInManyStorms() throws Exception {
        int members = Integer.getInteger("rowlock.test.group.members", 12_000);
        long grouped = 0;
        int killed = 0;
        for (int done = 0; done < members; done += 3_000) {
            Storm storm = new Storm(3_000, 60);
            grouped += storm.run().figure("account", "grouped");
            killed += storm.killed;
            database.execute("update account set balance = 0, log = '', at = '{}'");
        }
        assertThat(grouped).isPositive();
        System.out.println(members + " members, in groups " + grouped + ", server processes ended " + killed);
    }
}
