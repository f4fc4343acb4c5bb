package org.rowlock.examples.shop.load;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.rowlock.examples.shop.load.ShopClient.Reply;

/**
 * Runs many clients at once. Each client orders random products, most of them hot, at any instance. The client then
 * ships the order, cancels it or leaves it, and begins again.
 */
final class Shoppers implements AutoCloseable {
    private static final int BUSY = 503;
    private static final int CONFLICT = 409;

    private final ShopInstances instances;
    private final List<Long> products;
    private final Ledger ledger;
    private final ExecutorService threads;
    private volatile boolean closing;

    Shoppers(ShopInstances instances, List<Long> products, Ledger ledger, int clients) {
        this.instances = instances;
        this.products = products;
        this.ledger = ledger;
        this.threads = Executors.newFixedThreadPool(clients);
        for (int i = 0; i < clients; i++) {
            String customer = "customer-" + i;
            Random random = new Random(i);
            threads.execute(() -> shop(customer, random));
        }
    }

    private void shop(String customer, Random random) {
        try {
            while (!closing) {
                Map<Long, Integer> lines = lines(random);
                long[] order = {0};
                instances.visitAny(
                        random,
                        shop -> send("An order", shop, () -> shop.place(customer, lines), reply -> {
                            ledger.placed(lines);
                            order[0] = reply.json().get("id").asLong();
                        }));
                int choice = random.nextInt(3);
                long id = order[0];
                if (id == 0 || choice == 0) {
                    continue;
                }
                String what = " of order " + id;
                instances.visitAny(random, shop -> {
                    if (choice == 1) {
                        send("The shipping" + what, shop, () -> shop.ship(id), reply -> ledger.shipped.increment());
                    } else {
                        send("The cancellation" + what, shop, () -> shop.cancel(id), reply -> ledger.cancelled(lines));
                    }
                });
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ledger.failed("A client was interrupted.");
        } catch (RuntimeException e) {
            ledger.failed("A client gave up: " + e);
        }
    }

    /** Draws one to three products. The first products are hot, because the random number is squared. */
    private Map<Long, Integer> lines(Random random) {
        Map<Long, Integer> lines = new LinkedHashMap<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            double place = random.nextDouble();
            lines.put(products.get((int) (place * place * products.size())), 1 + random.nextInt(3));
        }
        return lines;
    }

    /** One request to the shop. */
    @FunctionalInterface
    private interface Request {
        Reply send() throws IOException, InterruptedException;
    }

    private void send(String what, ShopClient shop, Request request, Consumer<Reply> done) throws InterruptedException {
        try {
            Reply reply = request.send();
            switch (reply.status()) {
                case BUSY -> ledger.busy.increment();
                case CONFLICT -> ledger.refused.increment();
                default -> {
                    if (reply.isOk()) {
                        done.accept(reply);
                    } else {
                        ledger.failed("The shop answered " + reply.status() + ": " + reply.body());
                    }
                }
            }
        } catch (IOException e) {
            ledger.failed(what + " at " + shop + " has an unknown outcome: " + e);
        }
    }

    /** Ends the clients. Returns when all clients have finished their requests. */
    @Override
    public void close() {
        closing = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(2, TimeUnit.MINUTES)) {
                ledger.failed("A client did not end within two minutes.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ledger.failed("The wait for the clients was interrupted.");
        }
    }
}
