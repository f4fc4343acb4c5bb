package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.rowlock.LockKey;
import org.rowlock.testing.TestDatabase;

/** A web application with a driver of its own, which is stopped: nothing of the JVM keeps its class loader. */
class UnloadingTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    /** What the web application does; by its own class loader. */
    public static final class Application implements BiConsumer<String, String> {
        @Override
        public void accept(String url, String user) {
            try {
                Class.forName("org.rowlock.jdbc.RowlockDriver");
                try (Connection connection = DriverManager.getConnection(url, user, "")) {
                    // The first looks up the key of the table, and the next ones have a turn.
                    for (int i = 0; i < 3; i++) {
                        try (PreparedStatement update =
                                connection.prepareStatement("update account set balance = balance + 1 where id = ?")) {
                            update.setInt(1, 1);
                            update.executeUpdate();
                        }
                    }
                }
                // As containers do it, of the drivers that the application has loaded.
                for (Driver each : Collections.list(DriverManager.getDrivers())) {
                    if (each.getClass().getClassLoader() == Application.class.getClassLoader()) {
                        DriverManager.deregisterDriver(each);
                    }
                }
            } catch (ReflectiveOperationException | SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static URL placeOf(Class<?> type) throws Exception {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    /** In a method of its own, whose frame keeps nothing. */
    private WeakReference<ClassLoader> runAndStop() throws Exception {
        List<URL> classes = new ArrayList<>();
        for (Class<?> each :
                List.of(Application.class, RowlockDriver.class, LockKey.class, PGConnection.class, NullMarked.class)) {
            classes.add(placeOf(each));
        }
        URLClassLoader loader = new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            @SuppressWarnings("unchecked") // It is one there.
            BiConsumer<String, String> application =
                    (BiConsumer<String, String>) loader.loadClass(Application.class.getName())
                            .getConstructor()
                            .newInstance();
            String url = database.dataSource().getURL().replace("jdbc:", "jdbc:rowlock:");
            application.accept(url, String.valueOf(database.dataSource().getUser()));
        } finally {
            thread.setContextClassLoader(before);
            loader.close();
        }
        return new WeakReference<>(loader);
    }

    @Test
    void theClassLoaderOfAStoppedApplicationIsCollected() throws Exception {
        WeakReference<ClassLoader> loader = runAndStop();
        TestDatabase.await("the class loader is collected").untilAsserted(() -> {
            System.gc();
            assertThat(loader.get()).isNull();
        });
        assertThat(database.query("select balance from account")).isEqualTo("3");
    }
}
