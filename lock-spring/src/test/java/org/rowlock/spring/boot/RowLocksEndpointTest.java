package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;

import com.jayway.jsonpath.JsonPath;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.TestContext;
import org.rowlock.spring.internal.proxy.LockChains;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.transaction.annotation.Transactional;

/** Checks the endpoint over HTTP. */
@Tag("long")
class RowLocksEndpointTest {
    private static final RowLocks LOCKS =
            LockAccess.builder().strategy(LockStrategy.BOTH).build();

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

    private RowLocksEndpoint endpoint(Map<String, DataSource> dataSources) {
        return new RowLocksEndpoint(LOCKS, context.getBean(LockChains.class), dataSources);
    }

    /** Returns a pool without connections, which runs the action at each request for a connection. */
    private static DataSource empty(Runnable asked) {
        return new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                asked.run();
                throw new SQLTransientConnectionException("there is none");
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                return getConnection();
            }
        };
    }

    private HttpResponse<String> get(String path) throws Exception {
        String port = context.getEnvironment().getProperty("local.server.port");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/rowlocks" + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private String json(String path) throws Exception {
        HttpResponse<String> response = get(path);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    @Test
    void whoHoldsAndWhoWaits() throws Exception {
        Session alice = database.session("alice");
        Session bob = database.session("bob");
        alice.run(connection ->
                LOCKS.in(connection).lock(forUpdate(LockKey.row("orders", 42)).allowAbsent()));
        Step<?> bobs = bob.start(connection ->
                LOCKS.in(connection).lock(forUpdate(LockKey.row("orders", 42)).allowAbsent()));
        bobs.awaitBlockedBy(alice);

        String json = json("");
        String lines = "$.dataSources.dataSource.locks[?(@.application == '" + database.schema() + "' && @.granted == ";
        assertThat(read(json, lines + "true)]['table','id','mode','pid','state','blockedBy']"))
                .isEqualTo(read(
                        "[{\"table\":\"orders\",\"id\":\"42\",\"mode\":\"exclusive\",\"pid\":" + alice.pid()
                                + ",\"state\":\"idle in transaction\",\"blockedBy\":[]}]",
                        "$"));
        assertThat(read(json, lines + "true)].transactionAge").get(0))
                .asString()
                .startsWith("PT");
        assertThat(read(json, lines + "true)].waitingFor")).isEmpty();
        assertThat(read(json, lines + "false)].pid")).isEqualTo(List.of(bob.pid()));
        assertThat(read(json, lines + "false)].blockedBy")).isEqualTo(List.of(List.of(alice.pid())));
        assertThat(read(json, lines + "false)].waitingFor").get(0)).asString().startsWith("PT");

        String ofRow = json("/orders/42");
        assertThat(read(ofRow, "$.dataSources.dataSource.locks[*].pid")).isEqualTo(List.of(alice.pid(), bob.pid()));
        alice.commit();
        bobs.get();
    }

    private static List<Object> read(String json, String path) {
        return JsonPath.read(json, path);
    }

    @Test
    void usagesWithTheirStrategiesAndTheKeysInTheQueues() throws Exception {
        var permit = TestContext.queues(context).enter("a database", forUpdate(List.of(LockKey.row("orders", 1))));
        String json = json("");
        permit.close();
        assertThat(JsonPath.<Integer>read(json, "$.admission.keysInUse")).isEqualTo(1);
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
    void idsThatAreNoNumbersAndCompositeOnes() throws Exception {
        Session alice = database.session("alice");
        String uuid = "6f1c2a52-3d5b-4c0a-9d0e-0f6f3a1b2c3d";
        alice.run(connection -> LOCKS.in(connection)
                .lock(forUpdate(LockKey.row("documents", uuid)).allowAbsent()));
        alice.run(connection -> LOCKS.in(connection)
                .lock(forShare(LockKey.row("order_lines", 42, 1)).allowAbsent()));
        assertThat(read(json("/documents/" + uuid), "$..pid")).isEqualTo(List.of(alice.pid()));
        assertThat(read(json("/order_lines/42/1"), "$..mode")).isEqualTo(List.of("shared"));
        assertThat(read(json("/order_lines/42/2"), "$..pid")).isEmpty();
        assertThat(read(json("/" + database.schema() + ".order_lines/42/1"), "$..pid"))
                .isEqualTo(List.of(alice.pid()));
        alice.commit();
    }

    @Test
    void whoQueuesInThisJvmIsShownWithThreadTableAndId() throws Exception {
        String uuid = "6f1c2a52-3d5b-4c0a-9d0e-0f6f3a1b2c3d";
        var dataSource = context.getBean(javax.sql.DataSource.class);
        LockKey key = LockKey.row("documents", uuid);
        var queues = TestContext.queues(context);
        Session alice = database.session("alice");
        alice.run(connection -> LOCKS.in(connection).lock(forUpdate(key).allowAbsent()));
        Session front = database.session("front");
        String path = front.run(c -> c.unwrap(PGConnection.class).getParameterStatus("search_path"));
        front.execute("select pg_advisory_xact_lock(" + FrontSql.key(path, "documents", List.of(uuid)) + ")");
        Thread waiting = new Thread(
                () -> queues.enter(dataSource, forShare(List.of(key))).close(), "the one who waits");
        try (var permit = queues.enter(dataSource, forUpdate(List.of(key)))) {
            assertThat(permit.isQueued()).isTrue();
            waiting.start();
            TestDatabase.await().until(() -> queues.entrants().size() == 2);
            String json = json("");
            assertThat(JsonPath.<Integer>read(json, "$.admission.waiting")).isOne();
            String one = "$.admission.threads[?(@.thread == 'the one who waits')]";
            assertThat(read(json, one + "['dataSource','table','id','mode','admitted']"))
                    .isEqualTo(read(
                            "[{\"dataSource\":\"dataSource\",\"table\":\"documents\",\"id\":\"" + uuid
                                    + "\",\"mode\":\"FOR_SHARE\",\"admitted\":false}]",
                            "$"));
            assertThat(read(json, one + ".since").get(0)).asString().startsWith("PT");
            assertThat(read(json, "$.dataSources.dataSource.locks[?(@.pid == " + alice.pid() + ")]['table','id']"))
                    .as("an advisory lock that is a number to the server")
                    .isEqualTo(read("[{\"table\":\"documents\",\"id\":\"" + uuid + "\"}]", "$"));
            assertThat(read(
                            json,
                            "$.dataSources.dataSource.locks[?(@.pid == " + front.pid() + ")]['table','id','mode']"))
                    .as("the lock in front of a row lock")
                    .isEqualTo(read("[{\"table\":\"documents\",\"id\":\"" + uuid + "\",\"mode\":\"front\"}]", "$"));
        } finally {
            waiting.join(TestDatabase.DEADLINE.toMillis());
            alice.commit();
            front.commit();
        }
    }

    @Test
    void aPoolWithoutAFreeConnectionIsSaidInTheWordsOfTheConfiguration() throws Exception {
        var pool = new com.zaxxer.hikari.HikariDataSource();
        pool.setDataSource(database.dataSource());
        pool.setMaximumPoolSize(1);
        pool.setConnectionTimeout(250);
        var only = pool.getConnection();
        assertThat(only.isClosed()).isFalse();
        RowLocksEndpoint endpoint = endpoint(Map.of("pool", pool));
        assertThat(endpoint.all().dataSources().get("pool").error())
                .contains("spring.datasource.hikari.connection-timeout", "queues of this JVM");
    }

    @Test
    void unknownTableIsABadRequest() throws Exception {
        assertThat(get("/ordrs/42").statusCode()).isEqualTo(400);
        assertThat(get("/orders%3B/42").statusCode()).isEqualTo(400);
    }

    /**
     * Each request to an empty pool takes a connection timeout, and users need the endpoint especially when a pool is
     * empty.
     */
    @Test
    void aPoolIsAskedForOneConnection() {
        AtomicInteger asked = new AtomicInteger();
        DataSource empty = empty(asked::incrementAndGet);
        var routing = new org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return "only";
            }
        };
        routing.setTargetDataSources(Map.of("only", empty));
        routing.afterPropertiesSet();
        Map<String, DataSource> beans = new java.util.LinkedHashMap<>();
        beans.put("empty", empty);
        beans.put("joins", new org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy(empty));
        beans.put("routing", routing);
        RowLocksReport report =
                endpoint(org.rowlock.spring.internal.pool.Routes.named(beans)).all();
        assertThat(report.dataSources()).containsOnlyKeys("empty");
        assertThat(report.dataSources().get("empty").error()).contains("there is none");
        assertThat(asked).hasValue(1);
    }

    /** If two pools are empty, the endpoint waits for both pools at the same time. */
    @Test
    void poolsAreAskedAtTheSameTime() {
        CyclicBarrier bothAsked = new CyclicBarrier(2);
        Runnable asked = () -> {
            try {
                bothAsked.await(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException("the other was not asked", e);
            }
        };
        RowLocksReport report =
                endpoint(Map.of("one", empty(asked), "other", empty(asked))).all();
        assertThat(report.dataSources().values())
                .hasSize(2)
                .allSatisfy(locks -> assertThat(locks.error()).contains("there is none"));
    }

    @Test
    void databaseThatCannotBeAskedIsSaidAndHidesNoOther() {
        org.postgresql.ds.PGSimpleDataSource nowhere = database.dataSource();
        nowhere.setDatabaseName("there_is_no_such_database");
        RowLocksEndpoint endpoint = endpoint(Map.of("nowhere", nowhere, "here", database.dataSource()));
        RowLocksReport report = endpoint.all();
        assertThat(report.dataSources().get("nowhere").error()).contains("there_is_no_such_database");
        assertThat(report.dataSources().get("here").error()).isNull();
        assertThat(endpoint.of("orders", "1").dataSources()).containsKeys("nowhere", "here");
    }
}
