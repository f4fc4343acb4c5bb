package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.core.BaseConnection;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TestDatabase;

/** A server of a version that nobody has tested is named, once, and locks as far as it can. */
class UnknownVersionTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(0);

    /** The driver's connection to a server that says that it is a version to come. */
    private static Connection newer(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                UnknownVersionTest.class.getClassLoader(),
                new Class<?>[] {BaseConnection.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "haveMinimumServerVersion" -> (Object) (((Number) arguments[0]).intValue() <= 200_001);
                    default -> {
                        try {
                            yield method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }
                });
    }

    @Test
    void isNamedOnceForEachDatabase() throws Exception {
        List<LogRecord> logged = new CopyOnWriteArrayList<>();
        // Where System.Logger leads by default.
        Logger logger = Logger.getLogger("org.rowlock");
        logger.setFilter(record -> {
            logged.add(record);
            return false;
        });
        RowLocks locks = LockAccess.builder().build();
        String version = database.query("show server_version");
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            locks.in(connection).lock(forUpdate(LockKey.row("account", 1)).allowAbsent());
            assertThat(logged).noneMatch(record -> record.getLevel() == Level.WARNING);
            for (int i = 0; i < 3; i++) {
                locks.in(newer(connection))
                        .lock(forUpdate(LockKey.row("account", i)).allowAbsent());
            }
            connection.rollback();
        } finally {
            logger.setFilter(null);
        }
        assertThat(logged)
                .filteredOn(record -> record.getLevel() == Level.WARNING)
                .singleElement()
                .satisfies(record -> {
                    assertThat(record.getParameters()).contains(version, 19);
                    assertThat(record.getMessage()).contains("verify");
                });
    }
}
