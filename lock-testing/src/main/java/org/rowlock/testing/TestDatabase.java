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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

/**
 * Gives each test a separate schema, first in the search_path of every connection that it opens. After the test, this
 * extension fails if an advisory lock, a waiting session or an open transaction remains.
 *
 * <p>For each parameter of type {@link Session}, a test gets a separate session with the name of the parameter.
 *
 * <pre>{@code @RegisterExtension final TestDatabase database = new TestDatabase("create table account ...");}</pre>
 */
public final class TestDatabase extends TestSchema implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    /** The longest wait for a condition, long enough that a slow machine never fails a test. */
    public static final Duration DEADLINE = Duration.ofSeconds(60);

    private static final Duration SELDOM = Duration.ofMillis(20);

    private final List<String> setUp;
    private final List<Session> sessions = new ArrayList<>();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    public TestDatabase(String... setUp) {
        this(TestPostgres.shared(), setUp);
    }

    public TestDatabase(TestPostgres server, String... setUp) {
        super(server);
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

    public Session session(String name) throws SQLException {
        return session(name, dataSource());
    }

    public Session session(String name, DataSource dataSource) throws SQLException {
        return session(name, dataSource, server());
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

    /** Opens a connection without autocommit. */
    public static Connection begin(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        return connection;
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
        create(setUp);
    }

    @Override
    public void afterEach(ExtensionContext context) throws SQLException {
        try {
            closeOpened();
            // A terminated or disconnected session takes some time to end.
            await("nothing left behind").untilAsserted(() -> {
                for (Session session : sessions) {
                    session.rollbackIfIdle();
                }
                assertThat(leftBehind()).isEmpty();
            });
        } finally {
            for (Session session : sessions) {
                session.close();
            }
            sessions.clear();
            drop();
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
}
