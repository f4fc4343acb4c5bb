package org.rowlock.examples.shop.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.examples.shop.load.ShopClient.Reply;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/** What one hot row does to requests that have nothing to do with it, over HTTP. */
@Tag("long")
class PoolStarvationTest {
    private static final int POOL = 4;
    private static final int CROWD = 12;
    private static final Map<Long, Integer> HOT = Map.of(1L, 1);
    private static final Map<Long, Integer> OTHER = Map.of(2L, 1);

    @RegisterExtension
    final ShopFixture shops = new ShopFixture();

    private final List<Future<Reply>> crowd = new ArrayList<>();

    @Test
    void withAdmissionAHotRowTakesTwoConnectionsAndOtherRequestsGoOn() throws Exception {
        Shop shop = shops.start("spring.datasource.hikari.maximum-pool-size=" + POOL);
        ShopClient client = new ShopClient(shop.uri());
        Session holder = holdHotRow();
        flood(client);
        // The next waits for the row at the server.
        TestDatabase.await().until(() -> queued() == CROWD - 2 && pool(shop).getActiveConnections() == 2);
        assertThat(pool(shop).getThreadsAwaitingConnection()).isZero();

        assertThat(client.place("somebody else", OTHER).status()).isEqualTo(201);
        assertThat(queued()).isEqualTo(CROWD - 2);

        holder.commit();
        assertAllPlaced();
    }

    private Session holdHotRow() throws Exception {
        Session holder = shops.database.session("holder");
        holder.execute("select from stock where product = 1 for update");
        return holder;
    }

    private void flood(ShopClient client) {
        for (int i = 0; i < CROWD; i++) {
            crowd.add(Threads.start(() -> client.place("one of many", HOT)));
        }
    }

    private void assertAllPlaced() throws Exception {
        for (Future<Reply> each : crowd) {
            Reply reply = TestDatabase.result(each);
            assertThat(reply.status()).as(reply.body()).isEqualTo(201);
        }
    }

    /** Requests in the queue of the JVM, which is ours. */
    private static long queued() {
        return Thread.getAllStackTraces().entrySet().stream()
                // The wait in the queue is bounded.
                .filter(thread -> thread.getKey().getState() == Thread.State.TIMED_WAITING)
                .filter(thread -> Arrays.stream(thread.getValue())
                        .anyMatch(frame -> frame.getClassName().equals("org.rowlock.internal.queue.KeyEntries")))
                .count();
    }

    private static HikariPoolMXBean pool(Shop shop) {
        return shop.context().getBean(HikariDataSource.class).getHikariPoolMXBean();
    }
}
