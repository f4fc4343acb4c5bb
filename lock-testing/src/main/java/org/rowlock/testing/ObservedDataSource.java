package org.rowlock.testing;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A DataSource that counts its connections, records calls of their methods, and can make these methods fail. */
public class ObservedDataSource implements DataSource {
    private static final List<String> NOTED = List.of("setAutoCommit", "commit", "rollback", "close");

    private final DataSource target;
    private final AtomicInteger borrowed = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger mostOpen = new AtomicInteger();
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Throwable> failures = new ConcurrentHashMap<>();

    public ObservedDataSource(DataSource target) {
        this.target = target;
    }

    public int borrowed() {
        return borrowed.get();
    }

    public int open() {
        return open.get();
    }

    public int mostOpen() {
        return mostOpen.get();
    }

    /**
     * The recorded calls that begin or end transactions and connections, such as {@code commit} or {@code
     * setAutoCommit(true)}.
     */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    /** Makes a method fail from now on: {@code getConnection}, or the connections' method of this name. */
    public void fail(String method, Throwable failure) {
        failures.put(method, failure);
    }

    @Override
    public Connection getConnection() throws SQLException {
        failIfAsked("getConnection");
        Connection connection = target.getConnection();
        borrowed.incrementAndGet();
        mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
        return Proxies.of(Connection.class, (proxy, method, arguments) -> {
            String name = method.getName();
            if (NOTED.contains(name)) {
                calls.add(name + (name.equals("setAutoCommit") ? "(" + arguments[0] + ")" : ""));
            }
            if (name.equals("close")) {
                open.decrementAndGet();
            }
            failIfAsked(name);
            return Proxies.call(connection, method, arguments);
        });
    }

    private void failIfAsked(String method) throws SQLException {
        Throwable failure = failures.get(method);
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure != null) {
            throw (SQLException) failure;
        }
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw new SQLException("Not used by the tests");
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return target.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        target.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        target.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return target.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return target.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return target.isWrapperFor(type);
    }
}
