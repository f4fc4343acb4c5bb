package org.rowlock.examples.shop.load;

import java.net.URI;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The instances of the shop that clients may use, as a load balancer has them. Thread-safe. */
final class ShopInstances {
    private final List<Instance> inUse = new CopyOnWriteArrayList<>();

    /** One of them. */
    static final class Instance {
        final ShopClient client;
        /** Shared by requests, exclusive once the instance is taken out. */
        private final ReadWriteLock requests = new ReentrantReadWriteLock();

        private final CountDownLatch warm;

        private Instance(URI shop, int warm) {
            this.client = new ShopClient(shop);
            this.warm = new CountDownLatch(warm);
        }

        /**
         * Waits until it has had the visits that it was added with.
         *
         * @throws IllegalStateException if nobody comes any more
         */
        void awaitWarm() throws InterruptedException {
            if (!warm.await(2, TimeUnit.MINUTES)) {
                throw new IllegalStateException("The clients have come to a stop at " + client);
            }
        }
    }

    /** What a client does at one instance. */
    @FunctionalInterface
    interface Visit {
        void at(ShopClient shop) throws InterruptedException;
    }

    /**
     * Puts an instance in.
     *
     * @param shop where it is
     * @param warm how many visits {@link Instance#awaitWarm} waits for
     */
    Instance add(URI shop, int warm) {
        Instance instance = new Instance(shop, warm);
        inUse.add(instance);
        return instance;
    }

    /** Takes an instance out, and returns when its last visitor has left. */
    void remove(Instance instance) {
        inUse.remove(instance);
        // Never unlocked: a client that has chosen it and not yet entered chooses another.
        instance.requests.writeLock().lock();
    }

    /** Visits any of them. */
    void visitAny(Random random, Visit visit) throws InterruptedException {
        while (true) {
            List<Instance> now = List.copyOf(inUse);
            Instance instance = now.get(random.nextInt(now.size()));
            if (instance.requests.readLock().tryLock()) {
                try {
                    visit.at(instance.client);
                } finally {
                    instance.requests.readLock().unlock();
                    instance.warm.countDown();
                }
                return;
            }
        }
    }
}
