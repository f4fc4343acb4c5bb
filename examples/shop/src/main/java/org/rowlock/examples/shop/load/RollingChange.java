package org.rowlock.examples.shop.load;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.rowlock.examples.shop.EmbeddedDatabase;
import org.rowlock.examples.shop.StockView;
import org.rowlock.examples.shop.load.ShopInstances.Instance;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Changes the strategy of two instances on one database, one instance and one step at a time, while clients order
 * products. The steps lead from {@code ROW} through {@code BOTH} to {@code ADVISORY}, and back. At the end the books
 * are checked.
 *
 * <p>The system property {@code shop.clients} is the number of clients, 16 by default. {@code shop.visits} is how many
 * requests each new instance serves before the next instance is changed, 300 by default. {@code spring.datasource.url}
 * and similar properties name your own database. The exit status is 0 only if the books are right.
 */
public final class RollingChange {
    /**
     * The steps of the change. No step leads from ROW to ADVISORY or back, because these two strategies have no lock in
     * common.
     */
    private static final List<String> STEPS = List.of("both", "advisory", "both", "row");

    private static final int INSTANCES = 2;

    private final PrintStream out;
    private final List<String> database;
    private final ShopInstances instances = new ShopInstances();
    private final List<Running> running = new ArrayList<>();

    private record Running(String strategy, Shop shop, Instance instance) {
        @Override
        public String toString() {
            return strategy;
        }
    }

    /**
     * Creates a change.
     *
     * @param database the properties that name the database; empty if system properties name the database
     */
    RollingChange(PrintStream out, List<String> database) {
        this.out = out;
        this.database = database;
    }

    /**
     * Runs the change and ends the program.
     *
     * @param arguments none; see the system properties
     * @throws Exception if the shop does not start or does not answer
     */
    public static void main(String[] arguments) throws Exception {
        int clients = Settings.number("shop.clients", 16);
        int visits = Settings.number("shop.visits", 300);
        if (!System.getProperty("spring.datasource.url", "").isEmpty()) {
            System.exit(new RollingChange(System.out, List.of()).run(clients, visits));
        }
        System.out.println("Starting a PostgreSQL ...");
        int status;
        try (ConfigurableApplicationContext server = new SpringApplicationBuilder(EmbeddedDatabase.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .run("--logging.level.root=warn")) {
            // Spring Boot must not configure the logging. Otherwise each new instance would also reconfigure the
            // logging of the running instances.
            System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
            JdbcConnectionDetails details = server.getBean(JdbcConnectionDetails.class);
            List<String> database = List.of(
                    "spring.datasource.url=" + details.getJdbcUrl(),
                    "spring.datasource.username=" + details.getUsername());
            status = new RollingChange(System.out, database).run(clients, visits);
        }
        System.exit(status);
    }

    /** Returns the exit status. */
    int run(int clients, int visits) throws IOException, InterruptedException {
        try {
            for (int i = 0; i < INSTANCES; i++) {
                start("row", visits);
            }
            ShopClient first = running.get(0).instance().client;
            List<StockView> before = first.stock();
            Ledger ledger = new Ledger();
            List<Long> products = before.stream().map(StockView::product).toList();
            Shoppers shoppers = new Shoppers(instances, products, ledger, clients);
            try (shoppers) {
                awaitWarm();
                for (String step : STEPS) {
                    for (int i = 0; i < INSTANCES; i++) {
                        start(step, visits);
                        out.println("  " + running + ": " + ledger);
                        awaitWarm();
                        end(running.remove(0));
                    }
                    out.println("All instances: " + running.get(0).strategy().toUpperCase(Locale.ROOT));
                }
            }
            List<StockView> after = running.get(0).instance().client.stock();
            return ShopBooks.report(
                    out, before, after, ledger, "Nothing was lost: the books are right, and no request failed.");
        } finally {
            running.forEach(each -> each.shop().close());
        }
    }

    private void start(String strategy, int visits) {
        List<String> properties = new ArrayList<>(database);
        properties.add("spring.profiles.active=" + strategy);
        Shop shop = Shop.start(properties);
        running.add(new Running(strategy, shop, instances.add(shop.uri(), visits)));
    }

    private void awaitWarm() throws InterruptedException {
        for (Running each : running) {
            each.instance().awaitWarm();
        }
    }

    /** Ends an instance after its last answer. The instance gets no new requests. */
    private void end(Running old) {
        instances.remove(old.instance());
        old.shop().close();
    }
}
