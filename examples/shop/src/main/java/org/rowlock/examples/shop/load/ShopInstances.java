package org.rowlock.examples.shop.load;

import java.net.URI;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The instances of the shop that clients may use. Thread-safe. */
final class ShopInstances {
    private final List<Instance> inUse = new CopyOnWriteArrayList<>();

    /** An instance that clients may use. */
    static final class Instance {
        final ShopClient client;
        /** Each request holds this lock in shared mode. The removal of the instance acquires the lock exclusively. */
        private final ReadWriteLock requests = new ReentrantReadWriteLock();

        private final CountDownLatch warm;

        private Instance(URI shop, int warm) {
            this.client = new ShopClient(shop);
            this.warm = new CountDownLatch(warm);
        }

        /**
         * Waits until the instance has had the number of visits that {@link #add} specified.
         *
         * @throws IllegalStateException if the clients have stopped
         */
        void awaitWarm() throws InterruptedException {
            if (!warm.await(2, TimeUnit.MINUTES)) {
                throw new IllegalStateException("The clients have stopped at " + client);
            }
        }
    }

    /** The requests of a client at one instance. */
    @FunctionalInterface
    interface Visit {
        void at(ShopClient shop) throws InterruptedException;
    }

    /**
     * Adds an instance.
     *
     * @param shop the address of the instance
     * @param warm how many visits {@link Instance#awaitWarm} waits for
     */
    Instance add(URI shop, int warm) {
        Instance instance = new Instance(shop, warm);
        inUse.add(instance);
        return instance;
    }

    /** Removes an instance, and returns when the last request to the instance has ended. */
    void remove(Instance instance) {
        inUse.remove(instance);
        // The write lock is never released. A client that has already chosen the instance therefore cannot acquire the
        // read lock, and chooses another instance.
        instance.requests.writeLock().lock();
    }

    /** Visits any of the instances. */
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
