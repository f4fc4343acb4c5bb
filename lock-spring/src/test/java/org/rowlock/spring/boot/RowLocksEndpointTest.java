package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;

import com.jayway.jsonpath.JsonPath;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.TestContext;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.annotation.Transactional;

/** Checks the endpoint over HTTP. */
@Tag("long")
class RowLocksEndpointTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table orders (id bigint primary key)",
            "create table documents (id uuid primary key)",
            "create table order_lines (order_id bigint, line int, primary key (order_id, line))");

    @Transactional
    static class Orders {
        public void ship(@RowLock(value = "orders", lockWait = "200ms") long orderId) {}

        @RowLock(
                table = "order_lines",
                id = {"#order", "#line"},
                mode = RowLockMode.FOR_SHARE)
        public void read(long order, int line) {}
    }

    private ConfigurableApplicationContext context;

    @BeforeEach
    void start() {
        context = BootApplication.start(
                database,
                Orders.class,
                "spring.main.web-application-type=servlet",
                "server.port=0",
                "management.endpoints.web.exposure.include=rowlocks",
                "rowlock.tables.orders.strategy=advisory");
    }

    private String json() throws Exception {
        String port = context.getEnvironment().getProperty("local.server.port");
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/rowlocks"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    private static List<Object> read(String json, String path) {
        return JsonPath.read(json, path);
    }

    @Test
    void usagesWithTheirStrategiesAndTheKeysInTheQueues() throws Exception {
        var permit = TestContext.calls(context).admit("a database", forUpdate(List.of(LockKey.row("orders", 1))), null);
        String json = json();
        permit.close();
        assertThat(read(json, "$.threads[*]['id','admitted']"))
                .isEqualTo(read("[{\"id\":\"1\",\"admitted\":true}]", "$"));
        assertThat(read(json, "$.usages[?(@.table == 'orders')]").get(0))
                .isEqualTo(Map.of(
                        "bean", "rowLocksEndpointTest.Orders",
                        "method", "Orders.ship(long)",
                        "table", "orders",
                        "id", "parameter orderId",
                        "mode", "FOR_NO_KEY_UPDATE",
                        "lockWait", "atMost 0.2s",
                        "strategy", "ADVISORY"));
        assertThat(read(json, "$.usages[?(@.table == 'order_lines')]['mode','strategy']"))
                .isEqualTo(read("[{\"mode\":\"FOR_SHARE\",\"strategy\":\"BOTH\"}]", "$"));
    }

    @Test
    void whoQueuesInThisJvmIsShownWithThreadTableAndId() throws Exception {
        String uuid = "6f1c2a52-3d5b-4c0a-9d0e-0f6f3a1b2c3d";
        var dataSource = context.getBean(DataSource.class);
        LockKey key = LockKey.row("documents", uuid);
        var queues = TestContext.queues(context);
        Thread waiting = new Thread(
                () -> TestContext.calls(context)
                        .admit(dataSource, forShare(List.of(key)), null)
                        .close(),
                "the one who waits");
        try (var permit = TestContext.calls(context).admit(dataSource, forUpdate(List.of(key)), null)) {
            assertThat(permit.isQueued()).isTrue();
            waiting.start();
            TestDatabase.await().until(() -> queues.entrants().size() == 2);
            String json = json();
            String one = "$.threads[?(@.thread == 'the one who waits')]";
            assertThat(read(json, one + "['dataSource','table','id','mode','admitted']"))
                    .isEqualTo(read(
                            "[{\"dataSource\":\"dataSource\",\"table\":\"documents\",\"id\":\"" + uuid
                                    + "\",\"mode\":\"FOR_SHARE\",\"admitted\":false}]",
                            "$"));
            assertThat(read(json, one + ".since").get(0)).asString().startsWith("PT");
        } finally {
            waiting.join(TestDatabase.DEADLINE.toMillis());
        }
    }
}
