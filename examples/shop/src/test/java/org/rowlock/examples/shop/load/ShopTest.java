package org.rowlock.examples.shop.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.examples.shop.StockView;
import org.rowlock.examples.shop.load.ShopClient.Reply;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import tools.jackson.databind.JsonNode;

/** The service over HTTP. */
class ShopTest {
    private static final int CLIENTS = 16;

    @RegisterExtension
    final ShopFixture shops = new ShopFixture();

    @Test
    void ordersArePlacedShippedAndCancelled() throws Exception {
        ShopClient client = new ShopClient(shops.start().uri());
        List<StockView> before = client.stock();
        long shipped = placed(client.place("ann", Map.of(2L, 3, 1L, 1)));
        long cancelled = placed(client.place("bob", Map.of(1L, 5)));
        assertThat(client.stock().subList(0, 2))
                .containsExactly(new StockView(1, 100_000, 99_994, 6), new StockView(2, 100_000, 99_997, 3));

        assertThat(client.ship(shipped).status()).isEqualTo(204);
        assertThat(client.cancel(cancelled).status()).isEqualTo(204);
        assertThat(client.ship(cancelled).status()).isEqualTo(409);
        assertThat(client.cancel(shipped).status()).isEqualTo(409);
        assertThat(client.ship(4711).status()).isEqualTo(404);
        assertThat(client.place("", Map.of(1L, 1)).status()).isEqualTo(400);
        assertThat(client.place("ann", Map.of()).status()).isEqualTo(400);

        Ledger ledger = new Ledger();
        ledger.placed(Map.of(2L, 3, 1L, 1));
        assertThat(ShopBooks.check(before, client.stock(), ledger)).isEmpty();
    }

    @Test
    void aRefusedOrderLeavesNothingWrittenAndNothingLocked() throws Exception {
        ShopClient client = new ShopClient(shops.start().uri());
        List<StockView> before = client.stock();
        assertThat(client.place("ann", Map.of(1L, 1, 2L, 100_001)).status()).isEqualTo(409);
        assertThat(client.place("ann", Map.of(1L, 1, 4711L, 1)).status()).isEqualTo(404);
        assertThat(client.stock()).isEqualTo(before);
        assertThat(shops.database.query("select count(*) from orders")).isEqualTo("0");
        Session other = shops.database.session("other");
        other.execute("select from stock where product in (1, 2) for update nowait");
        assertThat(shops.database.query("select count(*) from pg_locks as l join pg_stat_activity as a using (pid)"
                        + " where l.locktype = 'advisory' and a.application_name = '"
                        + shops.database.schema() + "'"))
                .isEqualTo("0");
    }

    @Test
    void aWaitThatRunsOutIsServiceUnavailableAndLeavesNothing() throws Exception {
        ShopClient client =
                new ShopClient(shops.start("rowlock.lock-wait=100ms").uri());
        Session other = shops.database.session("other");
        other.execute("select from stock where product = 1 for update");
        Reply busy = client.place("ann", Map.of(1L, 1, 2L, 1));
        assertThat(busy.status()).as(busy.body()).isEqualTo(503);
        placed(client.place("ann", Map.of(2L, 1)));

        other.commit();
        placed(client.place("ann", Map.of(1L, 1)));
        assertThat(client.stock().subList(0, 2))
                .containsExactly(new StockView(1, 100_000, 99_999, 1), new StockView(2, 100_000, 99_999, 1));
        assertThat(client.got("/actuator/metrics/rowlock.acquire?tag=table:stock&tag=outcome:NOT_AVAILABLE")
                        .json()
                        .get("measurements")
                        .get(0)
                        .get("value")
                        .asInt())
                .isOne();
    }

    @Test
    void concurrentRequestsLoseNothing() throws Exception {
        concurrentRequestsLoseNothing("row");
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"both", "advisory"})
    void norDoTheyByTheOtherStrategies(String strategy) throws Exception {
        concurrentRequestsLoseNothing(strategy);
    }

    private void concurrentRequestsLoseNothing(String strategy) throws Exception {
        Shop shop = shops.start("spring.profiles.active=" + strategy);
        ShopClient client = new ShopClient(shop.uri());
        JsonNode usages = client.got("/actuator/rowlocks").json().get("usages");
        assertThat(usages.findValuesAsString("strategy"))
                .as(usages.toPrettyString())
                .hasSize(4)
                .containsOnly(strategy.toUpperCase(Locale.ROOT));

        List<StockView> before = client.stock();
        Ledger ledger = new Ledger();
        ShopInstances instances = new ShopInstances();
        ShopInstances.Instance instance = instances.add(shop.uri(), 800);
        Shoppers shoppers = shoppers(instances, before, ledger);
        try (shoppers) {
            instance.awaitWarm();
        }
        assertThat(ShopBooks.check(before, client.stock(), ledger)).isEmpty();
        assertThat(List.of(ledger.placed.sum(), ledger.shipped.sum(), ledger.cancelled.sum()))
                .doesNotContain(0L);
        assertThat(ledger.busy.sum()).isZero();
    }

    /** The control: the same load and the same check, with the locks off. */
    @Test
    void withoutLocksTheSameLoadLosesUpdates() throws Exception {
        Shop shop = shops.start("rowlock.enabled=false", "management.endpoints.web.exposure.include=health");
        ShopClient client = new ShopClient(shop.uri());
        List<StockView> before = client.stock();
        Ledger ledger = new Ledger();
        ShopInstances instances = new ShopInstances();
        instances.add(shop.uri(), 0);
        Shoppers shoppers = shoppers(instances, before, ledger);
        try (shoppers) {
            TestDatabase.await("a lost update")
                    .until(() -> client.stock().stream()
                            .anyMatch(each -> each.available() + each.ordered() != each.initial()));
        }
        assertThat(ShopBooks.check(before, client.stock(), ledger))
                .anyMatch(wrong -> wrong.contains("an update was lost"));
    }

    private static Shoppers shoppers(ShopInstances instances, List<StockView> stock, Ledger ledger) {
        return new Shoppers(instances, stock.stream().map(StockView::product).toList(), ledger, CLIENTS);
    }

    private static long placed(Reply reply) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(201);
        return reply.json().get("id").asLong();
    }
}
