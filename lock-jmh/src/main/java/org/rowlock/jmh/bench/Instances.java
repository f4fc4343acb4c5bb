package org.rowlock.jmh.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Param;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.RunDirectory;

/**
 * The work of {@link Zipfian} by the instances of a service: processes that start together, each with its own clients
 * and pool.
 */
@ByHand({Strategy.FOR_UPDATE, Strategy.IN_FRONT, Strategy.NAIVE})
public class Instances extends LockWorkload {
    /** The name of the parameter for jars of another version of the library. */
    public static final String LIBRARY = "library";

    private static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double RISE = 1.1;
    private static final long START_SECONDS = 5;

    @Param("30")
    public int clients;

    /** The number of processes, which is at most the number of clients. */
    @Param("5")
    public int jvms;

    /** The wrapper of the clients' pools: plain for none, or a mode of lock-jdbc. */
    @Param(DropInPool.PLAIN)
    public String wrapper = DropInPool.PLAIN;

    /** The number of rows; 1 for one hot row. */
    @Param("100")
    public int rows;

    @Param("1.1")
    public double zipf;

    /**
     * The number of transactions that each client first runs on its own row, where it never waits. Without them, dozens
     * of JVMs would still compile on few processors, and the results would show how much they compile. 0 for a start
     * after verify().
     */
    @Param("250")
    public int ahead;

    /** A class path of jars that precedes this version's, such as another lock-core and lock-jdbc; empty for none. */
    @Param("")
    public String library = "";

    private final List<InstanceProcess> processes = new ArrayList<>();
    private boolean steady;
    private double startPerSecond;

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
            // The optimizing compilers of dozens of JVMs would run for minutes on the shared processors.
            int compilers = count > 4 * Runtime.getRuntime().availableProcessors() ? 1 : 4;
            for (int i = 0; i < count; i++) {
                int clientsOfOne = (clients - i + count - 1) / count;
                InstanceProcess.Task task = new InstanceProcess.Task(
                        target.getURL(),
                        target.getUser(),
                        target.getPassword(),
                        wrapper,
                        strategy,
                        admission,
                        clientsOfOne,
                        rows,
                        zipf,
                        inside.toString(),
                        ahead,
                        ownRow);
                processes.add(server.closeWith(InstanceProcess.start(library, compilers, task)));
                ownRow += clientsOfOne;
            }
            processes.forEach(InstanceProcess::awaitReady);
            processes.forEach(InstanceProcess::begin);
        } catch (IOException e) {
            throw new IllegalStateException("The clients' processes did not start", e);
        }
        threads.add("jvm", count, number -> {
            InstanceProcess process = processes.get(number);
            Latency transaction = meter.latency("transaction");
            return () -> process.next(transaction);
        });
    }

    /** Waits until the throughput hardly rises from one second to the next. Dozens of JVMs take a minute to warm up. */
    @Override
    void begins(boolean measured) {
        long start = System.nanoTime();
        long before = 0;
        while (warmsUp() && !steady && !threads.haveFailed() && System.nanoTime() - start < WARM_NANOS) {
            long from = threads.completed();
            LockSupport.parkNanos(LOOK_NANOS);
            long now = threads.completed() - from;
            if (startPerSecond == 0 && System.nanoTime() - start >= TimeUnit.SECONDS.toNanos(START_SECONDS)) {
                startPerSecond = (double) threads.completed() / START_SECONDS;
            }
            steady = startPerSecond > 0 && now <= RISE * before;
            before = now;
        }
    }

    @Override
    void ends(boolean measured, Published results) {
        results.put("start", startPerSecond, "1/s");
    }
}
