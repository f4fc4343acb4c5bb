package org.rowlock.jmh.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.infra.IterationParams;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.RunDirectory;

/**
 * Runs the workload of {@link Zipfian} in several instances of a service. The instances are processes that start
 * together, each with its own clients and pool.
 */
public class Instances extends LockWorkload {
    private static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double RISE = 1.1;
    private static final long START_SECONDS = 5;
    private static final String CANARY = "canary";

    @Param("30")
    public int clients;

    @Param("5")
    public int jvms;

    /**
     * The number of canaries: processes with the {@link #wrapper}. The published figure is the canaries' share of all
     * transactions, divided by their share of the processes, in percent. With 0, all processes have the wrapper, and no
     * share is published.
     */
    @Param("0")
    public int canaries;

    /** The longest random pause of one client before each commit, in milliseconds; no other client pauses. */
    @Param("0")
    public double holdMillis;

    @Param("100")
    public int rows;

    /**
     * The number of warm-up transactions that each client runs on its own row, where it never waits. Without a warm-up,
     * the result would show how dozens of JVMs compile on few processors. 0 measures a cold start.
     */
    @Param("250")
    public int ahead;

    private final List<InstanceProcess> processes = new ArrayList<>();
    private final LongAdder started = new LongAdder();
    private final Meter.Average firstSecond = new Meter.Average();
    private final Meter.Average share = new Meter.Average();
    private long startNanos;
    private boolean steady;

    @Override
    void prepare() throws SQLException {
        atEnd(() -> processes.forEach(InstanceProcess::stop));
        atEnd(Accounts.create(server, rows + clients)::check);
        int count = Math.min(jvms, clients);
        try {
            Path directory = RunDirectory.create("instances");
            server.closeWith(() -> RunDirectory.remove(directory));
            Path inside = Files.createFile(directory.resolve("inside"));
            PGSimpleDataSource target = server.dataSource();
            int ownRow = rows + 1;
            // On shared processors, the optimizing compilers of dozens of JVMs would run for minutes.
            int compilers = count > 4 * Runtime.getRuntime().availableProcessors() ? 1 : 4;
            for (int i = 0; i < count; i++) {
                int clientsOfOne = (clients - i + count - 1) / count;
                InstanceProcess.Task task = new InstanceProcess.Task(
                        target.getURL(),
                        target.getUser(),
                        target.getPassword(),
                        canaries == 0 || i < canaries ? wrapper : DropInPool.PLAIN,
                        strategy,
                        admission,
                        clientsOfOne,
                        rows,
                        i == count - 1 ? holdMillis : 0,
                        inside.toString(),
                        ahead,
                        ownRow);
                processes.add(server.closeWith(InstanceProcess.start(compilers, task)));
                ownRow += clientsOfOne;
            }
            processes.forEach(InstanceProcess::awaitReady);
            processes.forEach(InstanceProcess::begin);
            startNanos = System.nanoTime();
        } catch (IOException e) {
            throw new IllegalStateException(
                    "The clients' processes did not start: " + e.getMessage() + ". Give fewer with -p jvms=..", e);
        }
        threads.add("jvm", count, number -> {
            InstanceProcess process = processes.get(number);
            boolean isCanary = number < canaries;
            Latency transaction = meter.latency(isCanary ? CANARY : "transaction");
            return () -> {
                int transactions = process.next(transaction);
                long nanos = System.nanoTime() - startNanos;
                long percent = isCanary ? Math.round(100.0 * transactions * count / canaries) : 0;
                if (nanos < LOOK_NANOS) {
                    firstSecond.add(percent, transactions);
                }
                if (nanos < START_SECONDS * LOOK_NANOS) {
                    started.add(transactions);
                }
                share.add(percent, transactions);
                return transactions;
            };
        });
    }

    /**
     * Waits until the throughput hardly rises from one second to the next. With dozens of JVMs the wait takes a minute.
     */
    @Override
    void begins(IterationParams window) {
        long start = System.nanoTime();
        long before = 0;
        while (warmsUp() && !steady && !threads.haveFailed() && System.nanoTime() - start < WARM_NANOS) {
            long from = threads.completed();
            LockSupport.parkNanos(LOOK_NANOS);
            long now = threads.completed() - from;
            steady = System.nanoTime() - startNanos >= START_SECONDS * LOOK_NANOS && now <= RISE * before;
            before = now;
        }
        share.take();
    }

    @Override
    void ends(Published results) {
        results.put("start", (double) started.sum() / START_SECONDS, "1/s");
        if (canaries > 0) {
            results.put("canary.share", share.take(), "%");
            results.put("canary.start", firstSecond.soFar(), "%");
        }
    }
}
