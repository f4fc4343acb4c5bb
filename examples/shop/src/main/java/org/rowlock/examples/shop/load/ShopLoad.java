package org.rowlock.examples.shop.load;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.rowlock.examples.shop.StockView;

/**
 * Puts the shop under load, shows its metrics and locks during the load, and checks the books at the end.
 *
 * <p>The system property {@code shop.url} names a running shop; without this property, the program starts a shop.
 * {@code shop.clients} is the number of clients, 32 by default, and {@code shop.seconds} is the duration, 15 by
 * default. The exit status is 0 only if the books are right.
 */
public final class ShopLoad {
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final PrintStream out;

    ShopLoad(PrintStream out) {
        this.out = out;
    }

    /**
     * Runs the load and ends the program.
     *
     * @param arguments none; see the system properties
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] arguments) throws InterruptedException {
        String url = System.getProperty("shop.url", "");
        int clients = Settings.number("shop.clients", 32);
        Duration duration = Duration.ofSeconds(Settings.number("shop.seconds", 15));
        System.exit(new ShopLoad(System.out).run(url, List.of(), clients, duration));
    }

    /** Returns the exit status. */
    int run(String url, List<String> properties, int clients, Duration duration) throws InterruptedException {
        if (!url.isEmpty()) {
            return load(URI.create(url), clients, duration);
        }
        out.println("Starting a shop ...");
        try (Shop shop = Shop.start(properties)) {
            out.println("Its database, for doctor: " + shop.database());
            return load(shop.uri(), clients, duration);
        }
    }

    private int load(URI shop, int clients, Duration duration) throws InterruptedException {
        ShopClient client = new ShopClient(shop);
        try {
            List<StockView> before = client.stock();
            out.println(clients + " clients order at " + shop + " for " + duration.toSeconds() + " s.");
            Ledger ledger = new Ledger();
            ShopInstances instances = new ShopInstances();
            instances.add(shop, 0);
            List<Long> products = before.stream().map(StockView::product).toList();
            Shoppers shoppers = new Shoppers(instances, products, ledger, clients);
            try (shoppers) {
                watch(new LiveView(client), ledger, duration);
            }
            return ShopBooks.report(
                    out,
                    before,
                    client.stock(),
                    ledger,
                    "The books are right: no stock is below zero, available and ordered quantities add up to the"
                            + " initial stock, and the shop has recorded exactly what it confirmed to its clients.");
        } catch (IOException e) {
            out.println("No shop answers at " + shop + " (" + e
                    + "). Start one with ./rowlock shop, or leave out shop.url, and this program starts one.");
            return 1;
        }
    }

    private void watch(LiveView view, Ledger ledger, Duration duration) throws IOException, InterruptedException {
        long start = System.nanoTime();
        do {
            Thread.sleep(LOOK.toMillis());
            out.println(ledger);
            out.println("  metrics:  " + view.metrics());
            out.println("  rowlocks: " + view.locks());
        } while (System.nanoTime() - start < duration.toNanos());
    }
}
