package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.TestDatabase.begin;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.Driver;
import org.postgresql.core.BaseConnection;
import org.rowlock.LockKey;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.session.PgSession;
import org.rowlock.testing.CapturedLog;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.TestDatabase;

/** A server of an untested version is named once, and locks as far as it can. An unknown driver is named too. */
class UnknownVersionTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(0);

    /** The driver's connection to a server that says that it is a version to come. */
    private static Connection newer(Connection connection) {
        return Proxies.of(
                BaseConnection.class,
                (proxy, method, arguments) -> method.getName().equals("haveMinimumServerVersion")
                        ? (Object) (((Number) arguments[0]).intValue() <= 200_001)
                        : Proxies.call(connection, method, arguments));
    }

    @Test
    void isNamedOnceForEachDatabase() throws Exception {
        RowLocks locks = LockAccess.builder().build();
        String version = database.query("show server_version");
        try (CapturedLog log = CapturedLog.of("org.rowlock");
                Connection connection = begin(database.dataSource())) {
            locks.in(connection).lock(forUpdate(LockKey.row("account", 1)).allowAbsent());
            assertThat(log.records()).noneMatch(record -> record.getLevel() == Level.WARNING);
            for (int i = 0; i < 3; i++) {
                locks.in(newer(connection))
                        .lock(forUpdate(LockKey.row("account", i)).allowAbsent());
            }
            connection.rollback();
            assertThat(log.records())
                    .filteredOn(record -> record.getLevel() == Level.WARNING)
                    .singleElement()
                    .satisfies(record -> {
                        assertThat(record.getParameters()).contains(version, 19);
                        assertThat(record.getMessage()).contains("verify");
                    });
        }
    }

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
