package org.rowlock.testing;

import static org.rowlock.testing.TestDatabase.DEADLINE;
import static org.rowlock.testing.TestDatabase.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;

/** The schema of one test, with its roles, and the connections on which the test itself runs statements. */
public abstract class TestSchema {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final TestPostgres server;
    private final List<String> roles = new ArrayList<>();
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
    private String schema = "";
    private Connection reader;

    TestSchema(TestPostgres server) {
        this.server = server;
    }

    final TestPostgres server() {
        return server;
    }

    final void create(List<String> setUp) throws SQLException {
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

    final void drop() throws SQLException {
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
            TestDatabase.execute(connection, statements);
            TestDatabase.execute(connection, "discard all", "set application_name = " + schema);
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
        return TestDatabase.query(reader(), sql);
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

    /** Returns the advisory locks, waiting sessions and open transactions that remain. */
    final List<String> leftBehind() throws SQLException {
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
