package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Helpers that create illnesses on servers, and that examine a server until a condition holds. */
final class Clinic {
    /** A width at which no line is wrapped. */
    static final int WIDE = 10_000;

    /** The statement that uses enough xids to make a horizon old. */
    static final String MANY_XIDS = "do $$ begin for i in 1.." + (Threshold.OLD_HORIZON_XIDS + 1)
            + " loop perform pg_current_xact_id(); commit; end loop; end $$";

    private Clinic() {}

    static ServerAddress address(TestPostgres server) {
        return new ServerAddress(server.url(), server.user(), server.password());
    }

    /**
     * Returns an address with which the doctor sees the server as it would be in six minutes. The search_path contains
     * a clock that is six minutes fast.
     */
    static ServerAddress later(TestPostgres server, TestDatabase database) throws SQLException {
        database.execute("create function clock_timestamp() returns timestamptz language sql as"
                + " $$ select pg_catalog.clock_timestamp() + interval '6 minutes' $$");
        return new ServerAddress(
                server.url() + (server.url().contains("?") ? "&" : "?") + "currentSchema=" + database.schema()
                        + ",pg_catalog",
                server.user(),
                server.password());
    }

    /** Takes one sample, after all waiting sessions show a wait event. */
    static Diagnosis examine(TestPostgres server) {
        settle(server);
        return Doctor.examine(address(server), samples -> true);
    }

    /**
     * Waits until all waiting sessions show a wait event. A session enters the queue of a lock shortly before the
     * session shows the event.
     */
    static void settle(TestPostgres server) {
        TestDatabase.await("who waits is asleep").until(() -> {
            try (Connection connection = server.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                return !statement
                        .executeQuery("select 1 from pg_locks as l join pg_stat_activity as a on a.pid = l.pid"
                                + " where not l.granted and a.wait_event_type is distinct from 'Lock'")
                        .next();
            }
        });
    }

    /** Samples until the condition holds, or until the deadline. */
    static Diagnosis examine(ServerAddress address, Predicate<Samples> isSeen) {
        long end = System.nanoTime() + TestDatabase.DEADLINE.toNanos();
        return Doctor.examine(address, samples -> isSeen.test(samples) || System.nanoTime() > end);
    }

    /** Returns a condition on the waits of a table so far. */
    static Predicate<Samples> table(String name, Predicate<Table> isSeen) {
        return samples ->
                samples.tables().stream().anyMatch(table -> table.name().equals(name) && isSeen.test(table));
    }

    /** Returns the waits of a table in the diagnosis. */
    static Table table(Diagnosis diagnosis, String name) {
        return diagnosis.seen().tables().stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No waits at " + name + " in\n" + diagnosis.text(100, false)));
    }

    static String unseen(Diagnosis diagnosis) {
        return diagnosis.seen().unseen().toString();
    }

    /** Starts sessions that queue for one row. Each session starts after the previous session visibly waits. */
    static List<Step<Boolean>> queue(TestDatabase database, int length, String sql, Session holder)
            throws SQLException {
        List<Step<Boolean>> waiters = new ArrayList<>();
        List<Session> before = new ArrayList<>(List.of(holder));
        for (int i = 0; i < length; i++) {
            Session session = database.session("waiter" + i);
            session.connection().setAutoCommit(true);
            waiters.add(session.startExecute(sql).awaitBlockedBy(before.toArray(Session[]::new)));
            before.add(session);
        }
        return waiters;
    }

    /**
     * Starts a session that waits for a row without a visible row in pg_locks. The session has found a version of the
     * row that other transactions have replaced meanwhile. The last of these transactions is still open.
     *
     * @param update the UPDATE of the row
     * @param holder the session whose transaction stays open
     * @param byHolder the statements of the holder, which include that UPDATE
     */
    static Step<Boolean> followAnUpdatedRow(TestDatabase database, String update, Session holder, String... byHolder)
            throws Exception {
        Session gate = database.session("gate");
        gate.execute("select pg_advisory_xact_lock(4711)");
        Session waiter = database.session("waiter");
        waiter.connection().setAutoCommit(true);
        Step<Boolean> wait = waiter.startExecute("with gate as materialized (select pg_advisory_xact_lock(4711)) "
                        + update.replace(" where ", " from gate where "))
                .awaitBlockedBy(gate);
        database.execute(update);
        for (String sql : byHolder) {
            holder.execute(sql);
        }
        gate.rollback();
        return wait.awaitBlockedBy(holder);
    }

    /** Takes one sample while sessions queue behind a holder, and returns the diagnosis. */
    static Diagnosis behind(TestPostgres server, TestDatabase database, String held, int length, String wanted)
            throws Exception {
        Session holder = database.session("holder");
        holder.execute(held);
        List<Step<Boolean>> waiters = queue(database, length, wanted, holder);
        Diagnosis diagnosis = examine(server);
        release(holder, waiters);
        return diagnosis;
    }

    static void release(Session holder, List<Step<Boolean>> waiters) throws Exception {
        holder.rollback();
        for (Step<Boolean> waiter : waiters) {
            waiter.get();
        }
    }

    /**
     * Starts sessions that wait for a lock. Each session starts after the previous session visibly waits. The lock can
     * be on an object that no longer exists.
     */
    static List<Step<Boolean>> waiting(TestDatabase database, String... statements) throws SQLException {
        List<Step<Boolean>> steps = new ArrayList<>();
        for (String sql : statements) {
            Session session = database.session("waiter" + steps.size());
            session.connection().setAutoCommit(true);
            steps.add(session.startExecute(sql));
            await(database, "pg_locks where not granted", steps.size());
        }
        return steps;
    }

    static void await(TestDatabase database, String from, int sessions) {
        TestDatabase.await(from)
                .until(() -> database.query("select count(distinct pid) from " + from)
                        .equals(Integer.toString(sessions)));
    }

    /** Waits for the end of steps. A step fails if the object that it waited for was dropped. */
    static void awaitEnd(List<Step<Boolean>> steps) throws Exception {
        for (Step<Boolean> step : steps) {
            try {
                step.get();
            } catch (SQLException e) {
                // The outcome of the step does not matter to the doctor.
            }
        }
    }

    /** Takes two samples with a clock that is six minutes fast. */
    static Diagnosis look(TestPostgres server, TestDatabase database) throws SQLException {
        settle(server);
        return Doctor.examine(later(server, database), samples -> samples.count() >= 2);
    }

    static void assertFirst(Diagnosis diagnosis, String rule, String contains) {
        String all = diagnosis.text(WIDE, true);
        assertThat(diagnosis.advice()).as(all).isNotEmpty();
        Advice first = diagnosis.advice().get(0);
        assertThat(first.rule()).as(all).isEqualTo(rule);
        assertThat(first.subject() + ": " + first.action()).as(all).contains(contains);
    }

    static void assertHealthy(Diagnosis diagnosis) {
        assertThat(diagnosis.advice()).as(diagnosis.text(WIDE, true)).isEmpty();
    }

    /**
     * Starts clients that continue after an error. The work of a round is one text, in which a ~ separates the
     * messages.
     */
    static Load clients(TestDatabase database, int size, String... work) {
        return Load.start(simple(database.dataSource()), size, (client, connection) -> {
            String all = work[client % work.length].replace(":client", Integer.toString(client + 1));
            try {
                TestDatabase.execute(connection, all.split(" ~ "));
            } catch (SQLException e) {
                TestDatabase.execute(connection, "rollback");
            }
        });
    }

    /**
     * Makes the driver send several statements in one message, so that the session is not idle between the statements.
     */
    static PGSimpleDataSource simple(PGSimpleDataSource dataSource) {
        dataSource.setPreferQueryMode(PreferQueryMode.SIMPLE);
        return dataSource;
    }

    /** Clients that repeat a round until the load is closed. */
    @SuppressWarnings("try")
    static final class Load implements AutoCloseable {
        private final AtomicBoolean ended = new AtomicBoolean();
        private final AtomicLong rounds = new AtomicLong();
        private final List<Future<?>> clients = new ArrayList<>();
        private final ExecutorService threads;

        /** The work of a client in one round. */
        @FunctionalInterface
        interface Round {
            void run(int client, Connection connection) throws Exception;
        }

        private Load(int size) {
            threads = Executors.newFixedThreadPool(size);
        }

        static Load start(DataSource dataSource, int size, Round round) {
            Load load = new Load(size);
            for (int i = 0; i < size; i++) {
                int client = i;
                load.clients.add(load.threads.submit(() -> {
                    try (Connection connection = dataSource.getConnection()) {
                        while (!load.ended.get()) {
                            round.run(client, connection);
                            load.rounds.incrementAndGet();
                        }
                    }
                    return null;
                }));
            }
            return load;
        }

        /** Starts clients that repeat one statement in autocommit. */
        static Load start(DataSource dataSource, int size, String sql) {
            return start(dataSource, size, (client, connection) -> {
                TestDatabase.execute(connection, sql.replace(":client", Integer.toString(client + 1)));
            });
        }

        long rounds() {
            return rounds.get();
        }

        /** Samples until the sessions have reported their statistics, which takes about a second. */
        Diagnosis examine(ServerAddress address) {
            return Doctor.examine(address, samples -> samples.count() >= 15 && rounds() >= 10);
        }

        @Override
        public void close() throws Exception {
            ended.set(true);
            threads.shutdown();
            for (Future<?> client : clients) {
                client.get(Duration.ofSeconds(60).toSeconds(), TimeUnit.SECONDS);
            }
        }
    }
}
