package org.rowlock.testing;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Wraps a real connection so that a test can observe the executed statements, or inject a fault at a statement. The
 * wrapped connection unwraps to the driver's connection, as connections of pools do.
 */
public final class Wire {
    private Wire() {}

    /** The hooks of a test around each statement. Statements are numbered from 1. */
    public interface Tap {
        default String send(int number, String sql) {
            return sql;
        }

        /** Runs before a statement is executed. If the hook throws an exception, the statement is not executed. */
        default void before(int number, String sql) throws SQLException {}

        /**
         * Runs after a statement has succeeded or failed. An exception from the hook replaces the result or error of
         * the statement.
         */
        default void after(int number, String sql) throws SQLException {}
    }

    public static Connection tap(Connection connection, Tap tap) {
        AtomicInteger count = new AtomicInteger();
        return Proxies.of(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("prepareStatement")) {
                int number = count.incrementAndGet();
                String sql = (String) arguments[0];
                Object[] replaced = arguments.clone();
                replaced[0] = tap.send(number, sql);
                PreparedStatement statement = (PreparedStatement) Proxies.call(connection, method, replaced);
                return Proxies.of(
                        PreparedStatement.class,
                        (self, called, values) -> called.getName().startsWith("execute")
                                ? execute(tap, number, sql, statement, called, values)
                                : Proxies.call(statement, called, values));
            }
            if (method.getName().equals("createStatement")) {
                Statement statement = (Statement) Proxies.call(connection, method, arguments);
                return Proxies.of(Statement.class, (self, called, values) -> {
                    if (!called.getName().startsWith("execute")) {
                        return Proxies.call(statement, called, values);
                    }
                    int number = count.incrementAndGet();
                    String sql = (String) values[0];
                    Object[] replaced = values.clone();
                    replaced[0] = tap.send(number, sql);
                    return execute(tap, number, sql, statement, called, replaced);
                });
            }
            return Proxies.call(connection, method, arguments);
        });
    }

    /** Returns a connection whose statements are recorded in a list, in the order of their execution. */
    public static Connection listen(Connection connection, List<String> statements) {
        return tap(connection, new Tap() {
            @Override
            public void before(int number, String sql) {
                statements.add(sql);
            }
        });
    }

    public static List<String> statements(Connection connection, Session.Body<?> body) throws Exception {
        List<String> statements = new ArrayList<>();
        body.run(listen(connection, statements));
        return statements;
    }

    /** Returns a connection that cannot be unwrapped to PostgreSQL's driver, like a connection of another driver. */
    public static Connection ofAnotherDriver(Connection connection) {
        return Proxies.of(Connection.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "isWrapperFor" -> false;
            case "unwrap" -> throw new SQLException("not a wrapper");
            default -> Proxies.call(connection, method, arguments);
        });
    }

    private static Object execute(
            Tap tap, int number, String sql, Statement statement, Method method, Object[] arguments) throws Throwable {
        tap.before(number, sql);
        Object result;
        try {
            result = Proxies.call(statement, method, arguments);
        } catch (SQLException e) {
            tap.after(number, sql);
            throw e;
        }
        tap.after(number, sql);
        return result;
    }
}
