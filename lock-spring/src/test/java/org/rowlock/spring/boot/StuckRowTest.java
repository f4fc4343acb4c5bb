package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.spring.Blocking;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockTests;
import org.rowlock.spring.TestContext;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Checks with Tomcat over HTTP that a stuck row delays only requests for that row. Other requests must still get
 * threads.
 */
@Tag("long")
class StuckRowTest {
    private static final int THREADS = 20;
    private static final int REQUESTS = 60;
    private static final int POOL = 10;

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    @RestController
    static class Accounts {
        @PostMapping("/accounts/{id}")
        @Transactional
        public String change(@PathVariable("id") @RowLock("account") int id) {
            return "changed " + id;
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
        String busy(CannotAcquireLockException e) {
            return e.getMessage();
        }
    }

    @Import({Accounts.class, Counter.class})
    static class Application {}

    private final HttpClient client = HttpClient.newHttpClient();

    private CompletableFuture<HttpResponse<String>> post(ConfigurableApplicationContext context, int id) {
        String port = context.getEnvironment().getProperty("local.server.port");
        return client.sendAsync(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/accounts/" + id))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void requestsForOtherRowsGoOn() throws Exception {
        var context = start("rowlock.strategy=both");
        Session stuck = RowLockTests.holder(database, LockStrategy.BOTH, LockKey.row("account", 1));
        List<CompletableFuture<HttpResponse<String>>> crowd =
                Stream.generate(() -> post(context, 1)).limit(REQUESTS).toList();
        int more = REQUESTS - 1 - THREADS / 2;
        TestDatabase.await("all that are more than the queue takes are refused")
                .until(() -> crowd.stream().filter(CompletableFuture::isDone).count() == more);
        assertThat(post(context, 2)
                        .get(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS)
                        .body())
                .isEqualTo("changed 2");
        for (CompletableFuture<HttpResponse<String>> each : crowd) {
            if (each.isDone()) {
                assertThat(each.join().statusCode()).isEqualTo(503);
                assertThat(each.join().body())
                        .contains(THREADS / 2 + " threads", "rowlock.admission.max-waiters-per-key");
            }
        }
        stuck.rollback();
        for (CompletableFuture<HttpResponse<String>> each : crowd) {
            TestDatabase.result(each);
        }
        assertThat(crowd.stream()
                        .filter(each -> each.join().statusCode() == 200)
                        .count())
                .isEqualTo(REQUESTS - more);
    }

    /** FOR UPDATE makes all requests wait too, so the first step of a migration changes nothing. */
    @Test
    void whereAllTablesAreRowNobodyIsRefused() throws Exception {
        var context = start("rowlock.strategy=row");
        Session stuck = RowLockTests.holder(database, LockKey.row("account", 1));
        List<CompletableFuture<HttpResponse<String>>> crowd =
                Stream.generate(() -> post(context, 1)).limit(REQUESTS).toList();
        TestDatabase.await("more wait than half of the threads")
                .until(() -> TestContext.queues(context).entrants().size() == THREADS);
        stuck.rollback();
        for (CompletableFuture<HttpResponse<String>> each : crowd) {
            assertThat(TestDatabase.result(each).statusCode()).isEqualTo(200);
        }
    }

    @Transactional
    static class Counter {
        @Autowired
        JdbcTemplate jdbc;

        public void locked(@RowLock("account") int id) {
            jdbc.update("update account set changes = changes + 1 where id = ?", id);
        }

        public void forUpdate(int id) {
            jdbc.queryForList("select id from account where id = ? for update", id);
            jdbc.update("update account set changes = changes + 1 where id = ?", id);
        }
    }

    /**
     * Compares Rowlock with FOR UPDATE through a pool of the same size. With Rowlock as many requests must succeed, and
     * no request must be rejected.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twentyTimesAsManyThreadsAsConnectionsAreServed(boolean locked) throws Exception {
        database.execute("alter table account add changes int not null default 0");
        var context = BootApplication.start(
                database,
                Application.class,
                "spring.main.web-application-type=none",
                "rowlock.strategy=row",
                "rowlock.admission.max-admitted-per-key=2",
                "spring.datasource.hikari.maximum-pool-size=" + POOL);
        Counter counter = context.getBean(Counter.class);
        Session stuck = database.session("stuck");
        stuck.execute("select from account where id = 1 for update");
        List<CompletableFuture<Void>> crowd = new ArrayList<>();
        for (int i = 0; i < POOL * 20; i++) {
            crowd.add(Blocking.run(() -> {
                if (locked) {
                    counter.locked(1);
                } else {
                    counter.forUpdate(1);
                }
            }));
        }
        HikariPoolMXBean pool = context.getBean(HikariDataSource.class).getHikariPoolMXBean();
        TestDatabase.await("all are in a queue, of the pool or in front of it")
                .until(() -> locked
                        ? TestContext.queues(context).entrants().size() == crowd.size()
                        : pool.getThreadsAwaitingConnection() == crowd.size() - POOL);
        stuck.rollback();
        for (CompletableFuture<Void> each : crowd) {
            TestDatabase.result(each);
        }
        assertThat(database.query("select changes from account where id = 1")).isEqualTo(String.valueOf(crowd.size()));
    }

    /** A request for a connection does not wait longer than the connection timeout either. */
    @Test
    void theQueueWaitsNoLongerThanThePoolWould() throws Exception {
        var context = start("spring.datasource.hikari.connection-timeout=3000");
        Session stuck = RowLockTests.holder(database, LockStrategy.BOTH, LockKey.row("account", 1));
        var first = post(context, 1);
        TestDatabase.await()
                .until(() ->
                        stuck.advisoryLocks() > 0 && TestContext.queues(context).keysInUse() == 1);
        var second = post(context, 1).get(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(second.statusCode()).isEqualTo(503);
        assertThat(second.body()).contains(" 3s", "rowlock.admission.timeout", "connection timeout of the pool");
        stuck.rollback();
        assertThat(TestDatabase.result(first).statusCode()).isEqualTo(200);
    }

    private ConfigurableApplicationContext start(String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.main.web-application-type=servlet",
                "server.port=0",
                "server.tomcat.threads.max=" + THREADS,
                "spring.jpa.open-in-view=false"));
        all.addAll(List.of(properties));
        return BootApplication.start(database, Application.class, all.toArray(String[]::new));
    }
}
