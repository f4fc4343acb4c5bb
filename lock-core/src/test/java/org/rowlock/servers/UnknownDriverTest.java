package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.postgresql.Driver;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLocks;
import org.rowlock.internal.session.PgSession;

/** A driver that lacks what Rowlock needs is named. */
class UnknownDriverTest {
    /** The internal class of the driver that Rowlock needs. */
    private static final String MISSING = "org.postgresql.core.BaseConnection";

    @Test
    void aDriverThatLacksAClassIsNamedWithTheVersionsThatServe() throws Exception {
        URL[] ours = {location(RowLocks.class), location(Driver.class)};
        try (URLClassLoader other = new URLClassLoader(ours, ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                if (name.equals(MISSING)) {
                    throw new ClassNotFoundException(name);
                }
                return super.findClass(name);
            }
        }) {
            Connection connection = (Connection) Proxy.newProxyInstance(
                    other,
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> method.getReturnType() == boolean.class ? (Object) false : null);
            Method of = other.loadClass(PgSession.class.getName()).getMethod("of", Connection.class);
            Throwable thrown = catchThrowable(() -> of.invoke(null, connection));

            assertThat(thrown).isInstanceOf(InvocationTargetException.class);
            assertThat(thrown.getCause().getClass().getName()).isEqualTo(LockTransactionException.class.getName());
            Driver driver = new Driver();
            assertThat(thrown.getCause())
                    .hasMessageContainingAll(
                            driver.getMajorVersion() + "." + driver.getMinorVersion(),
                            "use org.postgresql:postgresql 42.7",
                            "BaseConnection");
        }
    }

    private static URL location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }
}
