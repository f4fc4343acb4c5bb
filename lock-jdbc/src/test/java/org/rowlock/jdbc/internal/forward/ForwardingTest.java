package org.rowlock.jdbc.internal.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.jdbc.PgDatabaseMetaData;
import org.postgresql.jdbc.PgResultSet;
import org.postgresql.jdbc.PgStatement;
import org.rowlock.testing.Proxies;

/**
 * What the build writes: each method of JDBC, as the JDK that runs this has it, is handed to the same of the delegate.
 */
class ForwardingTest {
    private static final int COMPILED_FOR = 17;

    private static final Map<Class<?>, Object> VALUES =
            Map.of(int.class, 4, long.class, 5L, boolean.class, true, short.class, (short) 6, byte.class, (byte) 7);

    private final List<Object> called = new ArrayList<>();
    private Object answer;

    static Stream<Arguments> forwarding() {
        return Stream.of(
                Arguments.of(Connection.class, PgConnection.class),
                Arguments.of(Statement.class, PgStatement.class),
                Arguments.of(ResultSet.class, PgResultSet.class),
                Arguments.of(DatabaseMetaData.class, PgDatabaseMetaData.class));
    }

    private Object forwarding(Class<?> type) {
        Object delegate = Proxies.of(type, (proxy, method, arguments) -> {
            called.add(method);
            called.addAll(arguments == null ? List.of() : Arrays.asList(arguments));
            answer = value(method.getReturnType());
            return answer;
        });
        if (type == Connection.class) {
            return new ForwardingConnection((Connection) delegate) {};
        }
        if (type == Statement.class) {
            return new ForwardingStatement((Statement) delegate) {};
        }
        if (type == ResultSet.class) {
            return new ForwardingResultSet((ResultSet) delegate) {};
        }
        return new ForwardingDatabaseMetaData((DatabaseMetaData) delegate) {
            @Override
            protected ResultSet results(ResultSet results) {
                called.add("results");
                return results;
            }
        };
    }

    /** Not null and not the default, where there is such a value. */
    private static Object value(Class<?> type) {
        if (type == void.class || type == Object.class) {
            return null;
        }
        if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 1);
        }
        if (type.isPrimitive()) {
            return VALUES.getOrDefault(type, type == float.class ? (Object) 8f : (Object) 9d);
        }
        return type.isInterface()
                ? Proxies.of(type, (proxy, method, arguments) -> null)
                : type == String.class ? "text" : type == Class.class ? String.class : null;
    }

    @ParameterizedTest
    @MethodSource("forwarding")
    void everyMethodIsHandedToTheSameWithItsArguments(Class<?> type, Class<?> driver) throws Exception {
        Object wrapper = forwarding(type);
        int tried = 0;
        for (Method method : type.getMethods()) {
            if (isToBeForwarded(method, driver)) {
                Object[] arguments = Arrays.stream(method.getParameterTypes())
                        .map(ForwardingTest::value)
                        .toArray();
                called.clear();
                Object result = method.invoke(wrapper, arguments);
                List<Object> expected = new ArrayList<>();
                expected.add(method);
                expected.addAll(Arrays.asList(arguments));
                if (type == DatabaseMetaData.class && method.getReturnType() == ResultSet.class) {
                    expected.add("results");
                }
                assertThat(called)
                        .as("%s", method)
                        .usingElementComparator(ForwardingTest::compare)
                        .isEqualTo(expected);
                assertThat(compare(result, answer)).as("%s", method).isZero();
                tried++;
            }
        }
        assertThat(tried).isGreaterThan(30);
    }

    /** A proxy here is equal to nothing. */
    private static int compare(Object one, Object other) {
        boolean equal = one == other || (one != null && !Proxy.isProxyClass(one.getClass()) && one.equals(other));
        return equal ? 0 : 1;
    }

    /**
     * A default method that a newer JDK has is the same for the driver and its wrapper, as long as the driver inherits
     * it too.
     */
    private static boolean isToBeForwarded(Method method, Class<?> driver) {
        return !Modifier.isStatic(method.getModifiers())
                && method.getDeclaringClass() != Wrapper.class
                && (!method.isDefault() || Runtime.version().feature() == COMPILED_FOR || has(driver, method));
    }

    private static boolean has(Class<?> type, Method method) {
        return Arrays.stream(type.getMethods())
                .filter(each -> !each.getDeclaringClass().isInterface())
                .anyMatch(each -> each.getName().equals(method.getName())
                        && Arrays.equals(each.getParameterTypes(), method.getParameterTypes()));
    }

    /** Those that are not abstract in JDBC, which a compiler would not miss. */
    @ParameterizedTest
    @MethodSource("statements")
    void statementsForwardWhatTheDriverHas(Class<?> type, String driver, String wrapper) throws Exception {
        Class<?> ours = Class.forName(wrapper);
        for (Method method : type.getMethods()) {
            if (isToBeForwarded(method, Class.forName(driver))) {
                assertThat(ours.getMethod(method.getName(), method.getParameterTypes())
                                .getDeclaringClass()
                                .isInterface())
                        .as("%s", method)
                        .isFalse();
            }
        }
    }

    static Stream<Arguments> statements() {
        String wrap = "org.rowlock.jdbc.internal.wrap.Rowlock";
        return Stream.of(
                Arguments.of(
                        PreparedStatement.class, "org.postgresql.jdbc.PgPreparedStatement", wrap + "PreparedStatement"),
                Arguments.of(
                        CallableStatement.class,
                        "org.postgresql.jdbc.PgCallableStatement",
                        "org.rowlock.jdbc.internal.wrap.ForwardingCallableStatement"));
    }

    @Test
    void whatTheDelegateThrowsIsThrown() throws Exception {
        SQLException failure = new SQLException("no");
        Statement failing = Proxies.of(Statement.class, (proxy, method, arguments) -> {
            throw failure;
        });
        Statement wrapper = new ForwardingStatement(failing) {};
        for (Method method : Statement.class.getMethods()) {
            if (isToBeForwarded(method, PgStatement.class)) {
                try {
                    method.invoke(
                            wrapper,
                            Arrays.stream(method.getParameterTypes())
                                    .map(ForwardingTest::value)
                                    .toArray());
                    throw new AssertionError(method + " did not fail");
                } catch (InvocationTargetException e) {
                    assertThat(e.getCause()).as("%s", method).isSameAs(failure);
                }
            }
        }
    }
}
