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

/** Servers with illnesses, and examinations that last until what is asked for has been seen. */
final class Clinic {
    /** So that no line is broken. */
    static final int WIDE = 10_000;

    /** What makes a horizon old. */
    static final String MANY_XIDS = "do $$ begin for i in 1.." + (Threshold.OLD_HORIZON_XIDS + 1)
            + " loop perform pg_current_xact_id(); commit; end loop; end $$";

    private Clinic() {}

    static ServerAddress address(TestPostgres server) {
        return new ServerAddress(server.url(), server.user(), server.password());
    }

    /** As the doctor sees a server six minutes from now: from its search_path comes a clock that is fast. */
    static ServerAddress later(TestPostgres server, TestDatabase database) throws SQLException {
        database.execute("create function clock_timestamp() returns timestamptz language sql as"
                + " $$ select pg_catalog.clock_timestamp() + interval '6 minutes' $$");
        return new ServerAddress(
                server.url() + (server.url().contains("?") ? "&" : "?") + "currentSchema=" + database.schema()
                        + ",pg_catalog",
                server.user(),
                server.password());
    }

    /** One look, once all that wait are asleep. */
    static Diagnosis examine(TestPostgres server) {
        settle(server);
        return Doctor.examine(address(server), samples -> true);
    }

    /** A session is in the queue of a lock a moment before it shows a wait event. */
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

    /** Looks until the samples show it; at the deadline the diagnosis is what there is. */
    static Diagnosis examine(ServerAddress address, Predicate<Samples> isSeen) {
        long end = System.nanoTime() + TestDatabase.DEADLINE.toNanos();
        return Doctor.examine(address, samples -> isSeen.test(samples) || System.nanoTime() > end);
    }

    /** The waits of a table so far. */
    static Predicate<Samples> table(String name, Predicate<Table> isSeen) {
        return samples ->
                samples.tables().stream().anyMatch(table -> table.name().equals(name) && isSeen.test(table));
    }

    /** The waits of a table in the diagnosis. */
    static Table table(Diagnosis diagnosis, String name) {
        return diagnosis.seen().tables().stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No waits at " + name + " in\n" + diagnosis.text(100, false)));
    }

    static String unseen(Diagnosis diagnosis) {
        return diagnosis.seen().unseen().toString();
    }

    /** Sessions that wait in one line, each seen to wait before the next comes. */
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
     * A session that waits for a row without naming it: it has found a version of the row that others have replaced
     * meanwhile, the last of them a transaction that is still open.
     *
     * @param update of the row
     * @param holder whose transaction stays open
     * @param byHolder what it does there, that update among it
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

    /** One look at those who wait in one line behind a holder. */
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

    /** Sessions that wait for a lock, whatever has become of it, each seen to wait before the next comes. */
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

    /** Waits for the end of steps. What they waited for may be there now, or gone. */
    static void awaitEnd(List<Step<Boolean>> steps) throws Exception {
        for (Step<Boolean> step : steps) {
            try {
                step.get();
            } catch (SQLException e) {
                // Neither is what the doctor is asked.
            }
        }
    }

    /** Two looks at those who wait, six minutes from now. */
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

    /** Clients that go on after an error. What one does in a round is one text, of messages with a ~ between. */
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

    /** Several statements in a message, between which the session is never idle. */
    static PGSimpleDataSource simple(PGSimpleDataSource dataSource) {
        dataSource.setPreferQueryMode(PreferQueryMode.SIMPLE);
        return dataSource;
    }

    /** Clients that do the same again and again until it is closed. */
    @SuppressWarnings("try")
    static final class Load implements AutoCloseable {
        private final AtomicBoolean ended = new AtomicBoolean();
        private final AtomicLong rounds = new AtomicLong();
        private final List<Future<?>> clients = new ArrayList<>();
        private final ExecutorService threads;

        /** What a client does in one round. */
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

        /** The same statements, in autocommit. */
        static Load start(DataSource dataSource, int size, String sql) {
            return start(dataSource, size, (client, connection) -> {
                TestDatabase.execute(connection, sql.replace(":client", Integer.toString(client + 1)));
            });
        }

        long rounds() {
            return rounds.get();
        }

        /** Until the sessions have reported what they did, which they do about once a second. */
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
