package org.rowlock.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real connection with a tap between the program and the server. A test observes the executed statements, or injects
 * a fault at one of them. It unwraps to the driver's connection, as a pool's does.
 */
public final class Wire {
    private Wire() {}

    /** The hooks of a test for the executed statements, which are numbered from 1. */
    public interface Tap {
        /** Returns the SQL to send instead of a statement's own. */
        default String send(int number, String sql) {
            return sql;
        }

        /** Runs before a statement is executed. An exception from here replaces the execution. */
        default void before(int number, String sql) throws SQLException {}

        /** Runs after a statement was executed or has failed. An exception from here replaces its result or error. */
        default void after(int number, String sql) throws SQLException {}
    }

    /** Returns a connection with a tap. */
    public static Connection tap(Connection connection, Tap tap) {
        AtomicInteger count = new AtomicInteger();
        return proxy(Connection.class, connection, (proxy, method, arguments) -> {
            if (method.getName().equals("prepareStatement")) {
                int number = count.incrementAndGet();
                String sql = (String) arguments[0];
                Object[] replaced = arguments.clone();
                replaced[0] = tap.send(number, sql);
                PreparedStatement statement = (PreparedStatement) call(connection, method, replaced);
                return proxy(
                        PreparedStatement.class,
                        statement,
                        (self, called, values) -> called.getName().startsWith("execute")
                                ? execute(tap, number, sql, statement, called, values)
                                : call(statement, called, values));
            }
            if (method.getName().equals("createStatement")) {
                Statement statement = (Statement) call(connection, method, arguments);
                return proxy(Statement.class, statement, (self, called, values) -> {
                    if (!called.getName().startsWith("execute")) {
                        return call(statement, called, values);
                    }
                    int number = count.incrementAndGet();
                    String sql = (String) values[0];
                    Object[] replaced = values.clone();
                    replaced[0] = tap.send(number, sql);
                    return execute(tap, number, sql, statement, called, replaced);
                });
            }
            return call(connection, method, arguments);
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

    /** Returns the statements that a program executes on a connection. */
    public static List<String> statements(Connection connection, Session.Body<?> body) throws Exception {
        List<String> statements = new ArrayList<>();
        body.run(listen(connection, statements));
        return statements;
    }

    /** Returns a connection that looks like one of another driver: it cannot be unwrapped. */
    public static Connection ofAnotherDriver(Connection connection) {
        return proxy(Connection.class, connection, (proxy, method, arguments) -> switch (method.getName()) {
            case "isWrapperFor" -> false;
            case "unwrap" -> throw new SQLException("not a wrapper");
            default -> call(connection, method, arguments);
        });
    }

    private static Object execute(
            Tap tap, int number, String sql, Statement statement, Method method, Object[] arguments) throws Throwable {
        tap.before(number, sql);
        Object result;
        try {
            result = call(statement, method, arguments);
        } catch (SQLException e) {
            tap.after(number, sql);
            throw e;
        }
        tap.after(number, sql);
        return result;
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, T target, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(target.getClass().getClassLoader(), new Class<?>[] {type}, handler));
    }
}
