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

/**
 * The work of {@link Zipfian} by the instances of a service: processes that start together, each with clients and a
 * pool.
 */
@ByHand({Strategy.FOR_UPDATE, Strategy.IN_FRONT, Strategy.NAIVE})
public class Instances extends LockWorkload {
    /** Names of the parameter for jars of another version of the library. */
    public static final String LIBRARY = "library";

    private static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double RISE = 1.1;

    @Param("30")
    public int clients;

    /** How many processes; no more than clients. */
    @Param("5")
    public int jvms;

    /** What the clients' pools stand behind: plain, or a mode of lock-jdbc. */
    @Param(RoundTrips.PLAIN)
    public String wrapper = RoundTrips.PLAIN;

    /** How many rows there are; 1 for one hot row. */
    @Param("100")
    public int rows;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    /**
     * A class path of jars that come before this version's, such as another lock-core and lock-jdbc; empty for none.
     */
    @Param("")
    public String library = "";

    private final List<InstanceProcess> processes = new ArrayList<>();
    private boolean warm;

    @Override
    void prepare() throws SQLException {
        atEnd(() -> processes.forEach(InstanceProcess::stop));
        atEnd(Accounts.create(server, rows)::check);
        int count = Math.min(jvms, clients);
        try {
            Path inside = Files.createTempFile("rowlock-jmh-inside", null);
            server.closeWith(() -> Files.deleteIfExists(inside));
            for (int i = 0; i < count; i++) {
                processes.add(server.closeWith(InstanceProcess.start(
                        server.dataSource(),
                        library,
                        wrapper,
                        strategy.name(),
                        Boolean.toString(admission),
                        Integer.toString((clients - i + count - 1) / count),
                        Integer.toString(rows),
                        Double.toString(zipf),
                        inside.toString())));
            }
            processes.forEach(InstanceProcess::awaitReady);
            for (InstanceProcess process : processes) {
                process.begin();
            }
        } catch (IOException e) {
            throw new IllegalStateException("The clients' processes did not start", e);
        }
        threads.add("jvm", count, number -> {
            InstanceProcess process = processes.get(number);
            Latency transaction = meter.latency("transaction");
            return () -> process.next(transaction);
        });
    }

    /**
     * Waits until a second brings hardly more than the one before. On few processors dozens of JVMs take a minute to
     * warm.
     */
    @Override
    void begins(boolean measured) {
        long start = System.nanoTime();
        long before = 0;
        while (!warm && !threads.haveFailed() && System.nanoTime() - start < WARM_NANOS) {
            long from = threads.completed();
            LockSupport.parkNanos(LOOK_NANOS);
            long now = threads.completed() - from;
            warm = before > 0 && now <= RISE * before;
            before = now;
        }
    }
}
