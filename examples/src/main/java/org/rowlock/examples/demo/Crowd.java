package org.rowlock.examples.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The client threads. The first failure of one ends the work of all, and nobody is waited for forever.
 */
final class Crowd implements AutoCloseable {
    /** How long a client may take over its last transfer. Far more than it needs; a server that hangs exceeds it. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final int clients;
    private final ExecutorService threads;
    private volatile boolean closed;

    /** Set by whichever client fails first in a run, and seen by all others. */
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private long seed = 1;

    Crowd(int clients) {
        this.clients = clients;
        this.threads = Executors.newFixedThreadPool(clients, task -> {
            Thread thread = new Thread(task, "rowlock-demo-client");
            // A client that hangs must not keep the program alive after its message.
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * What a run came to.
     *
     * @param log of all clients together
     * @param elapsed from the common start until the last client was done
     */
    record Run(ClientLog log, Duration elapsed) {}

    /**
     * Lets all clients transfer for a while.
     *
     * @throws DemoException if a client fails or does not come back, or this is closed meanwhile
     */
    Run transfer(TransferService service, Duration duration) {
        CountDownLatch start = new CountDownLatch(1);
        AtomicLong end = new AtomicLong();
        BooleanSupplier goOn = () -> !closed && failure.get() == null && System.nanoTime() - end.get() < 0;
        List<Future<ClientLog>> running = new ArrayList<>(clients);
        for (int i = 0; i < clients; i++) {
            Client client = new Client(service, seed++);
            try {
                running.add(threads.submit(() -> {
                    start.await();
                    return reportingFailure(client, goOn);
                }));
            } catch (RejectedExecutionException e) {
                throw toldToStop(e);
            }
        }
        long began = System.nanoTime();
        end.set(began + duration.toNanos());
        start.countDown();
        ClientLog log = collect(running, end.get() + GRACE.toNanos());
        if (closed) {
            throw toldToStop(null);
        }
        return new Run(log, Duration.ofNanos(System.nanoTime() - began));
    }

    private ClientLog reportingFailure(Client client, BooleanSupplier goOn) throws Exception {
        try {
            return client.transferWhile(goOn);
        } catch (Throwable e) {
            // Throwable, as an Error of one client must stop the others too.
            failure.compareAndSet(null, e);
            throw e;
        }
    }

    private ClientLog collect(List<Future<ClientLog>> running, long deadline) {
        ClientLog sum = new ClientLog();
        for (Future<ClientLog> client : running) {
            try {
                sum.add(client.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
            } catch (ExecutionException e) {
                Throwable first = failure.get();
                throw failed(first == null ? e : first);
            } catch (TimeoutException e) {
                throw hung(running, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DemoException("The demo was interrupted while its clients moved money.", e);
            }
        }
        return sum;
    }

    private static DemoException toldToStop(@Nullable RejectedExecutionException cause) {
        return new DemoException("The demo was told to stop.", cause);
    }

    private static DemoException failed(Throwable first) {
        return new DemoException(
                "A client could not do its transfer, so the run was stopped: " + DemoErrors.describe(first), first);
    }

    private DemoException hung(List<Future<ClientLog>> running, TimeoutException cause) {
        Throwable first = failure.get();
        if (first != null) {
            return failed(first);
        }
        long missing = running.stream().filter(client -> !client.isDone()).count();
        return new DemoException(
                missing + " of " + clients + " clients are not done " + GRACE.toSeconds()
                        + " s after the end of their time. The server may hang, or another session may hold locks on "
                        + DemoAccounts.TABLE + ": look at pg_stat_activity and pg_locks.",
                cause);
    }

    /** Lets every client finish the transfer that it is in, and ends the threads. */
    @Override
    public void close() {
        closed = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(5, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
