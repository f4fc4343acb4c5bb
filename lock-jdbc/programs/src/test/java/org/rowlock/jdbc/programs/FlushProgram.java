package org.rowlock.jdbc.programs;

import static org.rowlock.jdbc.programs.FlushProgramGraph.CHECKED;
import static org.rowlock.jdbc.programs.FlushProgramGraph.VERSIONED;

import com.github.benmanes.caffeine.jcache.spi.CaffeineCachingProvider;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.hibernate.FlushMode;
import org.hibernate.JDBCException;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StaleStateException;
import org.hibernate.TransactionException;
import org.hibernate.cfg.Configuration;
import org.hibernate.exception.JDBCConnectionException;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jdbc.CommitFlush;
import org.rowlock.jdbc.CommitFlushException;
import org.rowlock.jdbc.programs.FlushProgramGraph.Counter;
import org.rowlock.jdbc.programs.FlushProgramGraph.Hidden;
import org.rowlock.jdbc.programs.FlushProgramGraph.Plain;
import org.rowlock.testing.Step;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/** Random transactions of Hibernate on random graphs of entities, the same for the same seed, and what each is told. */
final class FlushProgram {
    /** A connection that is lost has no one SQLSTATE: it depends on what arrives first. */
    static final String LOST = "lost";

    private static final int TRANSACTIONS = 14;
    private static final int ATTEMPTS = 3;

    /** What a program repeats the whole transaction for. */
    private static final Set<String> REPEATED = Set.of("stale", "40P01", "55P03");

    private static final String[] ALTERED = {
        "trigger drawn on single",
        "trigger drawn on hidden",
        "trigger drawn on dirty",
        "rule drawn on single",
        "rule drawn on cached",
        "rule drawn on dirty"
    };

    /** Rows of plain that only deadlocks and timeouts use. */
    private static final long HELD_HERE = 101;

    private static final long HELD_BESIDE = 102;

    private final SessionFactory sessions;
    private final TestDatabase database;
    private final TcpProxy network;
    private final Random random;
    private final DataSource dropIn;
    private final List<String> told = new ArrayList<>();

    /** A step of another program that waits for a row of this transaction; null if there is none. */
    private Step<?> waiting;

    /** The server process whose connection the network is to lose; 0 if there is none. */
    private int toBeCut;

    private int cuts;

    /** The triggers and rules that another session has created during the run, as DROP names them. */
    private final Set<String> altered = new TreeSet<>();

    /**
     * @param database where another program changes the rows, too
     * @param network the way of the sessions to the database
     * @param dropIn the drop-in if the flush goes with the COMMIT; otherwise null
     */
    FlushProgram(SessionFactory sessions, TestDatabase database, TcpProxy network, DataSource dropIn, long seed) {
        this.sessions = sessions;
        this.database = database;
        this.network = network;
        this.dropIn = dropIn;
        this.random = new Random(seed);
    }

    /** Maps the entities that a class declares. */
    static Configuration mapping(Class<?> entities) {
        Configuration configuration = new Configuration();
        for (Class<?> each : entities.getDeclaredClasses()) {
            if (each.isAnnotationPresent(Entity.class)) {
                configuration.addAnnotatedClass(each);
            }
        }
        return configuration;
    }

    /**
     * @param tables what to do with the tables: create or none
     * @param name distinguishes the second-level cache from those of other factories
     */
    static SessionFactory factory(DataSource dataSource, int batch, String tables, String name) {
        Configuration configuration = mapping(FlushProgramGraph.class);
        configuration.getProperties().put("hibernate.connection.datasource", dataSource);
        configuration.setProperty("hibernate.hbm2ddl.auto", tables);
        configuration.setProperty("hibernate.jdbc.batch_size", Integer.toString(batch));
        configuration.setProperty("hibernate.order_updates", Boolean.toString(batch > 0));
        configuration.setProperty("hibernate.cache.region.factory_class", "jcache");
        configuration.setProperty("hibernate.cache.region_prefix", name);
        configuration.setProperty("hibernate.javax.cache.provider", CaffeineCachingProvider.class.getName());
        configuration.setProperty("hibernate.javax.cache.missing_cache_strategy", "create");
        return configuration.buildSessionFactory();
    }

    List<String> run() throws Exception {
        database.execute("insert into plain(id, first) values (" + HELD_HERE + ", 0), (" + HELD_BESIDE + ", 0)");
        PGSimpleDataSource patient = database.dataSource();
        patient.setOptions("-c deadlock_timeout=1h");
        try (org.rowlock.testing.Session beside = database.session("beside", patient)) {
            for (int i = 0; i < TRANSACTIONS; i++) {
                if (random.nextInt(4) == 0) {
                    alter(ALTERED[random.nextInt(ALTERED.length)]);
                }
                long seed = random.nextLong();
                String outcome = "";
                for (int attempt = 0; attempt == 0 || (attempt < ATTEMPTS && REPEATED.contains(outcome)); attempt++) {
                    // What is repeated draws the same, but another program disturbs only the first attempt.
                    outcome = transaction(beside, new Random(seed), attempt == 0);
                    told.add(outcome);
                    settle(beside);
                }
            }
        }
        while (!altered.isEmpty()) {
            alter(altered.iterator().next());
        }
        return told;
    }

    /** Lets another session create a trigger or a rule that keeps some rows from an update, or drop it. */
    private void alter(String object) throws SQLException {
        boolean exists = altered.contains(object);
        String table = object.substring(object.lastIndexOf(' ') + 1);
        String made = object.startsWith("rule")
                ? "rule drawn as on update to " + table + " where new.number % 4 = 0 do instead nothing"
                : "trigger drawn before update on " + table + " for each row execute function audit()";
        try (Connection connection = database.dataSource().getConnection()) {
            TestDatabase.execute(connection, "set lock_timeout = '20ms'", exists ? "drop " + object : "create " + made);
        } catch (SQLException e) {
            told.add("beside " + e.getSQLState());
            return;
        }
        if (exists) {
            altered.remove(object);
            return;
        }
        altered.add(object);
        if (dropIn != null && object.startsWith("rule")) {
            learn(table);
        }
    }

    /**
     * Sends a kept write, which fails with a new rule, because its rows cannot be counted. The connection is not of the
     * pool, which would differ from that of the other program.
     */
    private void learn(String table) throws SQLException {
        try (Connection connection = TestDatabase.begin(dropIn);
                PreparedStatement update =
                        connection.prepareStatement("update " + table + " set number = number where id = 0")) {
            CommitFlush.open(connection, CHECKED::contains);
            update.executeUpdate();
            connection.commit();
        } catch (CommitFlushException e) {
            if (!e.isWrongCount() && !"0A000".equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    /** Waits until nothing of the disturbance is left. */
    private void settle(org.rowlock.testing.Session beside) throws Exception {
        if (waiting != null) {
            waiting.get();
            waiting = null;
        }
        beside.rollback();
        if (toBeCut != 0) {
            network.cutBefore("nothing, because this is no statement");
            if (network.cuts() > cuts) {
                // The server holds the row locks until it notices.
                await(
                        "the server has noticed",
                        "select not exists (select from pg_stat_activity where pid = " + toBeCut + ")");
            }
            toBeCut = 0;
        }
    }

    private void await(String what, String condition) {
        Awaitility.await(what)
                .pollInterval(Duration.ofMillis(5))
                .atMost(TestDatabase.DEADLINE)
                .until(() -> database.query(condition).equals("t"));
    }

    private String transaction(org.rowlock.testing.Session beside, Random draws, boolean disturbed) throws Exception {
        int steps = 1 + draws.nextInt(5);
        int kind = draws.nextInt(24);
        int fault = draws.nextInt(14);
        int begun = told.size();
        try (Session session = sessions.openSession()) {
            if (kind == 0) {
                // Hibernate then gives each statement this timeout.
                session.getTransaction().setTimeout((int) TestDatabase.DEADLINE.toSeconds());
            }
            session.beginTransaction();
            try {
                if (kind == 1) {
                    // Spring's way of a read-only transaction.
                    session.setHibernateFlushMode(FlushMode.MANUAL);
                    session.setDefaultReadOnly(true);
                } else if (kind == 2) {
                    session.doWork(connection -> connection.setReadOnly(true));
                }
                FlushProgramGraph graph = new FlushProgramGraph(session, draws, told);
                for (int i = 0; i < steps; i++) {
                    graph.step((id, value) -> nested(id, value));
                }
                if (disturbed) {
                    disturb(session, graph.last(), beside, fault);
                }
                return end(session, kind, draws);
            } catch (RuntimeException e) {
                told.subList(begun, told.size()).clear();
                rollBack(session);
                // A write that fails is not heard of if it is on its way with the COMMIT when the connection is lost.
                return toBeCut == 0 ? meaning(e) : LOST;
            }
        }
    }

    private String end(Session session, int kind, Random draws) {
        switch (kind) {
            case 3, 4 -> {
                session.getTransaction().rollback();
                return "rolled back";
            }
            case 5 -> session.getTransaction().markRollbackOnly();
            case 6, 7, 8, 9, 10, 11, 12 ->
                session.getTransaction().registerSynchronization(new BetweenFlushAndCommit(session, kind, draws, told));
            default -> {}
        }
        commit(session);
        return "committed";
    }

    private void commit(Session session) {
        if (dropIn != null) {
            session.doWork(connection -> CommitFlush.open(connection, CHECKED::contains));
        }
        session.getTransaction().commit();
    }

    /** Code of the program that uses the connection between Hibernate's last flush and the COMMIT. */
    private record BetweenFlushAndCommit(Session session, int kind, Random draws, List<String> told)
            implements Synchronization {
        @Override
        public void beforeCompletion() {
            session.doWork(connection -> {
                try (Statement statement = connection.createStatement()) {
                    switch (kind) {
                        case 6 -> {
                            ResultSet sum = statement.executeQuery("select count(*), sum(first) from plain");
                            sum.next();
                            told.add("between " + sum.getLong(1) + " " + sum.getLong(2));
                        }
                        case 7 -> {
                            Savepoint savepoint = connection.setSavepoint();
                            told.add("undone " + statement.executeUpdate("update plain set first = first + 1"));
                            connection.rollback(savepoint);
                        }
                        case 10, 11, 12 ->
                            FlushProgramGraph.savepoints(connection, draws, told, () -> write(connection), () -> {});
                        case 8 ->
                            told.add("between " + statement.executeUpdate("update plain set first = 50 where id < 4"));
                        default ->
                            told.add("between "
                                    + statement.executeUpdate("insert into audited(id, number) values (1, 1)"
                                            + " on conflict (id) do update set number = audited.number + 1"));
                    }
                }
            });
        }

        /** Sends a write of the kind that is kept, and two in a row. */
        private void write(Connection connection) {
            try (PreparedStatement update =
                    connection.prepareStatement("update plain set first = first + 1, second = ? where id = ?")) {
                for (int i = draws.nextInt(2); i >= 0; i--) {
                    update.setInt(1, i);
                    update.setLong(2, HELD_HERE);
                    told.add("changed " + update.executeUpdate());
                }
            } catch (SQLException e) {
                throw new JDBCException("write", e);
            }
        }

        @Override
        public void afterCompletion(int status) {
            told.add(status == Status.STATUS_COMMITTED ? "after the commit" : "after the rollback");
        }
    }

    static void rollBack(Session session) {
        try {
            if (session.getTransaction().isActive()) {
                session.getTransaction().rollback();
            }
        } catch (TransactionException | JDBCConnectionException e) {
            // The pool has closed the connection, because the server has ended its session.
        }
    }

    /** Returns the outcome in words that both ways have in common. */
    static String meaning(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof StaleStateException || (each instanceof CommitFlushException e && e.isWrongCount())) {
                return "stale";
            }
            if (each instanceof SQLException e) {
                String state = e.getSQLState();
                // The pool's exception for a connection that it has closed has no SQLSTATE. A program of Hibernate 7
                // gets there, because find() returns null if the connection is lost in it.
                boolean isLost = state == null
                        ? "Connection is closed".equals(e.getMessage())
                        : state.startsWith("08") || state.equals("57P01");
                return isLost ? LOST : state;
            }
        }
        return failure.getClass().getSimpleName();
    }

    /** A transaction of its own while the other is open. */
    private void nested(long id, int value) {
        try (Session own = sessions.openSession()) {
            own.beginTransaction();
            Counter counter = new Counter();
            counter.number = value;
            own.persist(counter);
            Hidden hidden = own.find(Hidden.class, id);
            if (hidden != null) {
                hidden.number = value;
            }
            commit(own);
        } catch (RuntimeException e) {
            told.add("nested " + meaning(e));
        }
    }

    /**
     * Lets another program change what this one has read last, end its session, wait for it or make it wait, or lets
     * the network lose the connection.
     */
    private void disturb(Session session, FlushProgramGraph.Read last, org.rowlock.testing.Session beside, int fault)
            throws Exception {
        switch (fault) {
            case 0, 1, 2, 3 -> change(last);
            case 4 -> session.doWork(own -> end(own.unwrap(PGConnection.class).getBackendPID()));
            case 5 -> waitInACircle(session, beside);
            case 6 -> waitTooLong(session, beside, "set local lock_timeout = '20ms'");
            case 7 -> waitTooLong(session, beside, "set local lock_timeout = 0; set local statement_timeout = '200ms'");
            case 8 -> {
                cut(session);
                network.cutBefore(last == null ? "COMMIT" : "update " + last.table());
            }
            case 9 -> {
                cut(session);
                network.cutBefore("COMMIT");
            }
            case 10 -> {
                cut(session);
                network.cutAfter("COMMIT");
            }
            case 11 -> {
                if (last != null && !Set.of("owner", "plain").contains(last.table())) {
                    alter("trigger drawn on " + last.table());
                }
            }
            default -> {}
        }
    }

    private void cut(Session session) {
        cuts = network.cuts();
        toBeCut = session.doReturningWork(own -> own.unwrap(PGConnection.class).getBackendPID());
    }

    private void change(FlushProgramGraph.Read last) throws SQLException {
        if (last == null) {
            return;
        }
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("set lock_timeout = '20ms'");
            if (last.table().equals("badge")) {
                statement.execute("delete from badge_text where id = " + last.id());
            }
            String change = last.table().equals("dirty")
                    ? "update dirty set number = number + 1"
                    : VERSIONED.contains(last.table())
                            ? "update " + last.table() + " set version = version + 1"
                            : "delete from " + last.table();
            statement.execute(change + " where id = " + last.id());
        } catch (SQLException e) {
            told.add("beside " + e.getSQLState());
        }
    }

    private void end(int pid) throws SQLException {
        database.query("select pg_terminate_backend(" + pid + ", 10000)");
    }

    private static void execute(Session session, String sql) {
        session.doWork(connection -> {
            TestDatabase.execute(connection, sql);
        });
    }

    /** The flush then finds the deadlock, because the other session does not look for one. */
    private void waitInACircle(Session session, org.rowlock.testing.Session beside) throws Exception {
        // On a slow machine both timers could expire at once, and the wait for the lock would be given up first.
        execute(session, "set local lock_timeout = 0");
        session.find(Plain.class, HELD_HERE, LockModeType.PESSIMISTIC_WRITE);
        session.find(Plain.class, HELD_BESIDE).first++;
        beside.execute("select 1 from plain where id = " + HELD_BESIDE + " for update");
        waiting = beside.startExecute("select 1 from plain where id = " + HELD_HERE + " for update");
        await("the other session waits", "select cardinality(pg_blocking_pids(" + beside.pid() + ")) > 0");
    }

    /** The flush then waits for a row until the server ends the statement. */
    private static void waitTooLong(Session session, org.rowlock.testing.Session beside, String timeouts)
            throws Exception {
        execute(session, timeouts);
        session.find(Plain.class, HELD_BESIDE).first++;
        beside.execute("select 1 from plain where id = " + HELD_BESIDE + " for update");
    }
}
