package org.rowlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
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
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Blocking;
import org.rowlock.spring.EnableRowLocks;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockSettings;
import org.rowlock.spring.TestSettings;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Checks that {@link RowLockAssertions} find the context of a running Spring test, on any thread. */
@SpringJUnitConfig(AssertionsInSpringTest.Config.class)
class AssertionsInSpringTest {
    private static volatile TestDatabase current;

    @RegisterExtension
    final TestDatabase database =
            new TestDatabase("create table orders (id bigint primary key)", "insert into orders values (42)");

    @Autowired
    private Orders orders;

    @Autowired
    private PlatformTransactionManager transactions;

    /**
     * A DataSource for the schema of the current test. Each test has its own schema, but Spring caches one context for
     * all tests.
     */
    static final class CurrentDataSource extends AbstractDataSource {
        @Override
        public Connection getConnection() throws SQLException {
            return current.dataSource().getConnection();
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

    @BeforeEach
    void useThisSchema() {
        current = database;
    }

    @Test
    void aServiceCall() {
        orders.ship(42, () -> assertLocked("orders", 42));
        assertNotLocked("orders", 42);
    }

    @Test
    void inATransactionOfTheTest() {
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            orders.ship(42, () -> assertLocked("orders", 42));
            assertLocked("orders", 42);
        });
    }

    @Test
    void onTheThreadOfARequest() throws Exception {
        assertThat(request(() -> orders.ship(42, () -> assertLocked("orders", 42))))
                .isEqualTo("locked");
        assertThat(request(() -> new TransactionTemplate(transactions)
                        .executeWithoutResult(status -> assertLocked("orders", 42))))
                .contains("Expected orders[42] to be locked by this thread's transaction, but no transaction has"
                        + " locked it.");
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
