package org.rowlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.spring.test.RowLockAssertions.assertLocked;
import static org.rowlock.spring.test.RowLockAssertions.assertNotLocked;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Blocking;
import org.rowlock.spring.EnableRowLocks;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockSettings;
import org.rowlock.spring.RowLockTests;
import org.rowlock.spring.TestSettings;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Test classes that {@link RowLockTestTest} runs. Most of these classes must fail, and {@link RowLockTestTest} removes
 * their leaks.
 */
final class LeakingCases {
    private LeakingCases() {}

    /**
     * A DataSource for the schema of the current test. Each outer test has its own schema, but Spring caches one
     * context for all tests.
     */
    static final class CurrentDataSource extends AbstractDataSource {
        @Override
        public Connection getConnection() throws SQLException {
            return RowLockTestTest.current.dataSource().getConnection();
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            throw new SQLException("Not used");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableRowLocks
    static class Config {
        @Bean
        DataSource dataSource() {
            return new CurrentDataSource();
        }

        @Bean
        RowLocks rowLocks() {
            return LockAccess.builder().strategy(LockStrategy.BOTH).build();
        }

        @Bean
        RowLockSettings settings() {
            // The context exists before the tables of the test that uses the context.
            return new TestSettings().verify(false);
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {
        @Transactional
        public void ship(@RowLock("orders") long id, Runnable work) {
            work.run();
        }
    }

    @SpringJUnitConfig(Config.class)
    @RowLockTest(graceMillis = 0)
    abstract static class Case {
        @Autowired
        DataSource dataSource;

        @Autowired
        RowLocks locks;

        @Autowired
        Orders orders;

        @Autowired
        PlatformTransactionManager transactions;

        /** Returns a connection that only the outer test closes. */
        Connection leaked() throws SQLException {
            Connection connection = dataSource.getConnection();
            RowLockTestTest.leaked.add(connection::close);
            return connection;
        }
    }

    static class LeavesASessionLock extends Case {
        @Test
        void test() throws SQLException {
            TestDatabase.execute(leaked(), "select pg_advisory_lock('orders'::regclass::oid::int, 42)");
        }
    }

    static class LeavesATransaction extends Case {
        @Test
        void test() throws SQLException {
            Connection connection = leaked();
            connection.setAutoCommit(false);
            TestDatabase.execute(connection, "select 'forgotten'");
        }
    }

    static class LeavesARowLock extends Case {
        @Test
        void test() throws SQLException {
            Connection connection = leaked();
            connection.setAutoCommit(false);
            RowLockTests.assertHeld(locks.in(connection).lock(forUpdate(LockKey.row("orders", 42))));
        }
    }

    static class LeavesASpringTransaction extends Case {
        @Test
        void test() {
            TransactionStatus status = transactions.getTransaction(null);
            RowLockTestTest.leaked.add(() -> transactions.rollback(status));
        }
    }

    static class LeavesAPermit extends Case {
        @Test
        void test() {
            RowLockTestTest.leaked.add(LockAccess.of(locks)
                    .admission()
                    .enter(
                            dataSource,
                            forUpdate(List.of(LockKey.row("orders", 42))).noWait())::close);
        }
    }

    static class LeavesALockInAnotherThread extends Case {
        @Test
        void test() throws Exception {
            CompletableFuture<Void> locked = new CompletableFuture<>();
            CompletableFuture<Void> end = new CompletableFuture<>();
            CompletableFuture<Void> other = Blocking.run(() -> orders.ship(42, () -> {
                locked.complete(null);
                end.join();
            }));
            RowLockTestTest.leaked.add(() -> {
                end.complete(null);
                other.join();
            });
            TestDatabase.result(locked);
        }
    }

    /** The second test finds the leak of the first test, and must not fail because of that leak. */
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class OnlyTheFirstLeaves extends LeavesARowLock {
        @Override
        @Test
        @Order(1)
        void test() throws SQLException {
            super.test();
        }

        @Test
        @Order(2)
        void second() {
            orders.ship(1, () -> assertLocked("orders", 1));
        }
    }

    static class LeavesNothing extends Case {
        @Test
        void aServiceCall() {
            orders.ship(42, () -> assertLocked("orders", 42));
            assertNotLocked("orders", 42);
        }

        /** Spring rolls back after all methods of the test. The check runs after that rollback. */
        @Test
        @Transactional
        void inATransactionThatSpringManages() {
            orders.ship(42, () -> assertLocked("orders", 42));
            assertLocked("orders", 42);
        }

        @Test
        void anException() {
            try {
                orders.ship(42, () -> {
                    throw new IllegalStateException("out of stock");
                });
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("out of stock");
            }
        }
    }

    /** Ends its transaction only after the test method. */
    static class CleansUpAfterEach extends Case {
        private Connection connection;

        @Test
        void test() throws SQLException {
            connection = dataSource.getConnection();
            connection.setAutoCommit(false);
            RowLockTests.assertHeld(locks.in(connection).lock(forUpdate(LockKey.row("orders", 42))));
        }

        @AfterEach
        void cleanUp() throws SQLException {
            connection.close();
        }
    }

    /** The task ends when the check begins, because only the check shows that the test is over. */
    @RowLockTest(graceMillis = 60_000)
    static class LeavesATaskThatEnds extends Case {
        @Test
        void test() throws Exception {
            CompletableFuture<Void> locked = new CompletableFuture<>();
            Thread test = Thread.currentThread();
            RowLockTestTest.leaked.add(Blocking.run(() -> orders.ship(42, () -> {
                locked.complete(null);
                // Spins until the check begins.
                while (!isLooking(test)) {
                    Thread.onSpinWait();
                }
            }))::join);
            TestDatabase.result(locked);
        }

        private static boolean isLooking(Thread test) {
            for (StackTraceElement element : test.getStackTrace()) {
                if (element.getClassName().equals(LeakCheck.class.getName())
                        && element.getMethodName().equals("close")) {
                    return true;
                }
            }
            return false;
        }
    }

    /** The assertion runs on the thread of the request. */
    static class AssertsInARequest extends Case {
        @Test
        void locked() throws Exception {
            assertThat(request(() -> orders.ship(42, () -> assertLocked("orders", 42))))
                    .isEqualTo("locked");
        }

        @Test
        void notLocked() throws Exception {
            assertThat(request(() -> new TransactionTemplate(transactions)
                            .executeWithoutResult(status -> assertLocked("orders", 42))))
                    .contains(
                            "Expected orders[42] to be locked by this thread's transaction, but no transaction has locked it.");
        }

        private static String request(Runnable service) throws IOException, InterruptedException {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(Blocking.NEW_THREAD);
            server.createContext("/", exchange -> {
                String answer = "locked";
                try {
                    service.run();
                } catch (AssertionError e) {
                    answer = e.getMessage();
                }
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write(answer.getBytes(StandardCharsets.UTF_8));
                exchange.close();
            });
            server.start();
            try {
                URI uri = URI.create("http://localhost:" + server.getAddress().getPort() + "/");
                return HttpClient.newHttpClient()
                        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                        .body();
            } finally {
                server.stop(0);
            }
        }
    }

    @RowLockTest
    static class WithoutSpring {
        @Test
        void test() {}
    }

    @SpringJUnitConfig(WithoutRowLocks.class)
    @RowLockTest
    static class WithoutRowLocks {
        @Test
        void test() {}
    }
}
