package org.rowlock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Gives each test a separate schema, first in the search_path of every connection that this class opens. After the
 * test, this extension fails if an advisory lock, a waiting session or an open transaction remains.
 *
 * <p>For each parameter of type {@link Session}, a test gets a separate session with the name of the parameter.
 *
 * <pre>{@code @RegisterExtension final TestDatabase database = new TestDatabase("create table account ...");}</pre>
 */
public final class TestDatabase implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    /** The longest wait for a condition, long enough that a slow machine never fails a test. */
    public static final Duration DEADLINE = Duration.ofSeconds(60);

    private static final Duration SELDOM = Duration.ofMillis(20);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final TestPostgres server;
    private final List<String> setUp;
    private final List<Session> sessions = new ArrayList<>();
    private final List<String> roles = new ArrayList<>();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
    private String schema = "";
    private Connection reader;

    public TestDatabase(String... setUp) {
        this(TestPostgres.shared(), setUp);
    }

    public TestDatabase(TestPostgres server, String... setUp) {
        this.server = server;
        this.setUp = List.of(setUp);
    }

    /**
     * Returns an extension whose schemas have a table {@code account} with the ids 1 to {@code rows}, each with a
     * balance of 0.
     *
     * @param more further statements to run
     */
    public static TestDatabase accounts(int rows, String... more) {
        return accounts(TestPostgres.shared(), rows, more);
    }

    public static TestDatabase accounts(TestPostgres server, int rows, String... more) {
        List<String> setUp = new ArrayList<>(List.of(
                "create table account(id int primary key, balance bigint not null default 0)",
                "insert into account select generate_series(1, " + rows + ")"));
        setUp.addAll(List.of(more));
        return new TestDatabase(server, setUp.toArray(String[]::new));
    }

    /**
     * Waits for a condition, and fails at the {@link #DEADLINE}. The first check runs at once, and the intervals grow
     * to 20 milliseconds, because most conditions are met within a few milliseconds.
     */
    public static ConditionFactory await(String what) {
        return Awaitility.await(what)
                .atMost(DEADLINE)
                .pollDelay(Duration.ZERO)
                .pollInterval(IterativePollInterval.iterative(
                        before -> before.compareTo(SELDOM) < 0 ? before.multipliedBy(2) : SELDOM,
                        Duration.ofMillis(1)));
    }

    public static ConditionFactory await() {
        return await(null);
    }

    /** Waits for the result of a call in another thread, and fails at the {@link #DEADLINE}. */
    public static <T> T result(Future<T> call) throws InterruptedException, ExecutionException, TimeoutException {
        return call.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Returns a data source without a pool, with this test's schema first in the search_path. */
    public PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = server.dataSource();
        dataSource.setCurrentSchema(schema + ",public");
        dataSource.setApplicationName(schema);
        return dataSource;
    }

    /**
     * Returns a data source like {@link #dataSource()}, whose sessions have the given server options.
     *
     * @param options the options of the server's command line, such as {@code -c lock_timeout=1s}
     */
    public PGSimpleDataSource dataSourceWith(String options) {
        PGSimpleDataSource dataSource = dataSource();
        dataSource.setOptions(options);
        return dataSource;
    }

    /** Returns the properties with which the driver logs in at the server. */
    public Properties login() {
        Properties login = new Properties();
        PGSimpleDataSource dataSource = dataSource();
        login.setProperty("user", dataSource.getUser());
        if (dataSource.getPassword() != null) {
            login.setProperty("password", dataSource.getPassword());
        }
        return login;
    }

    public String schema() {
        return schema;
    }

    public Session session(String name) throws SQLException {
        return session(name, dataSource());
    }

    public Session session(String name, DataSource dataSource) throws SQLException {
        return session(name, dataSource, server);
    }

    /** Opens a named session on another server. The session is closed after the test. */
    public Session session(String name, DataSource dataSource, TestPostgres other) throws SQLException {
        Session session = new Session(name, other, dataSource);
        sessions.add(session);
        return session;
    }

    /**
     * Closes a resource after the test, before the check that nothing is left behind. The resource that was opened last
     * is closed first.
     */
    public <T extends AutoCloseable> T closing(T resource) {
        opened.push(resource);
        return resource;
    }

    /**
     * Runs statements on a separate connection in autocommit. Later calls reuse the connection, because opening a
     * connection takes longer than a statement. Each call ends with DISCARD ALL, which resets the session.
     */
    public void execute(String... statements) throws SQLException {
        Connection connection = idle.poll();
        if (connection == null || !connection.isValid((int) DEADLINE.toSeconds())) {
            connection = dataSource().getConnection();
        }
        try {
            execute(connection, statements);
            execute(connection, "discard all", "set application_name = " + schema);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        idle.push(connection);
    }

    /**
     * Returns the first column of the first row of a query. All queries of a test share one connection, because opening
     * a connection takes longer than a query.
     */
    public String query(String sql) throws SQLException {
        return query(reader(), sql);
    }

    /** Returns how many sessions of the test wait for a lock at the server. */
    public int waiting() throws SQLException {
        return Integer.parseInt(query("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                + " and application_name = '" + schema + "'"));
    }

    /** Returns a valid connection. The test may have ended its sessions or stopped its server since the last query. */
    private synchronized Connection reader() throws SQLException {
        if (reader == null || !reader.isValid((int) DEADLINE.toSeconds())) {
            reader = dataSource().getConnection();
        }
        return reader;
    }

    /**
     * Creates a role that can use this test's schema and log in with the password {@code secret}. The role and its
     * privileges are dropped after the test.
     *
     * @param grants further privileges of the role, such as {@code select on account}
     */
    public String role(String... grants) throws SQLException {
        String role = schema + "_role" + roles.size();
        execute("create role " + role + " login password 'secret'");
        roles.add(role);
        execute("grant usage on schema " + schema + " to " + role);
        for (String grant : grants) {
            execute("grant " + grant + " to " + role);
        }
        return role;
    }

    /** Returns a data source whose sessions log in as a role with the password {@code secret}. */
    public PGSimpleDataSource dataSourceOf(String role) {
        PGSimpleDataSource dataSource = dataSource();
        dataSource.setUser(role);
        dataSource.setPassword("secret");
        return dataSource;
    }

    /** Opens a connection without autocommit. */
    public static Connection begin(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    /** Whether the server is of this major version or a later version. */
    public boolean isAtLeast(int majorVersion) throws SQLException {
        return Integer.parseInt(query("show server_version_num")) >= majorVersion * 10_000;
    }

    /** Waits until a server process has ended. */
    public void awaitEnd(int pid) {
        await("process " + pid + " has ended")
                .until(() -> query("select count(*) from pg_stat_activity where pid = " + pid)
                        .equals("0"));
    }

    public static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    public static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).as("a row of " + sql).isTrue();
            return row.getString(1);
        }
    }

    /** Returns the first column of each row of a query. */
    public static List<String> list(Connection connection, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                values.add(row.getString(1));
            }
        }
        return values;
    }

    @Override
    public void beforeEach(ExtensionContext context) throws SQLException {
        schema = "t" + ProcessHandle.current().pid() + "_" + NUMBER.incrementAndGet();
        try (Statement statement = server.administrator().createStatement()) {
            statement.execute("discard all");
            statement.execute("create schema " + schema);
            statement.execute("set search_path = " + schema + ", public");
            for (String sql : setUp) {
                statement.execute(sql);
            }
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws SQLException {
        try {
            closeOpened();
            // A terminated or disconnected session takes some time to end.
            await("nothing left behind")
                    .untilAsserted(() -> assertThat(leftBehind()).isEmpty());
        } finally {
            for (Session session : sessions) {
                session.close();
            }
            sessions.clear();
            for (Connection connection : idle) {
                connection.close();
            }
            idle.clear();
            if (reader != null) {
                reader.close();
                reader = null;
            }
            try (Statement statement = server.administrator().createStatement()) {
                statement.execute("drop schema " + schema + " cascade");
                for (String role : roles) {
                    statement.execute("drop owned by " + role);
                    statement.execute("drop role " + role);
                }
                roles.clear();
            }
        }
    }

    private void closeOpened() {
        try {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
        } catch (Exception e) {
            throw new IllegalStateException("A resource of the test could not be closed", e);
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Session.class;
    }

    @Override
    public Session resolveParameter(ParameterContext parameter, ExtensionContext context) {
        try {
            return session(parameter.getParameter().getName());
        } catch (SQLException e) {
            throw new ParameterResolutionException("No session could be opened", e);
        }
    }

    private List<String> leftBehind() throws SQLException {
        for (Session session : sessions) {
            session.rollbackIfIdle();
        }
        List<String> left = new ArrayList<>();
        try (Statement statement = server.administrator().createStatement();
                ResultSet row = statement.executeQuery("select 'lock ' || l.classid || '/' || l.objid || ' of '"
                        + " || a.application_name from pg_locks l left join pg_stat_activity a on a.pid = l.pid"
                        + " where l.locktype = 'advisory' and a.application_name = '" + schema
                        + "' union all select 'transaction ' || state || ': ' || query from pg_stat_activity"
                        + " where application_name = '" + schema
                        + "' and (xact_start is not null or state like 'idle in%')")) {
            while (row.next()) {
                left.add(row.getString(1));
            }
        }
        return left;
    }
}
