package org.rowlock.jmh.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.UserError;

/**
 * The network path from the clients to the server: direct, or through a proxy whose delay gives the requested
 * round-trip time. The actual round-trip time is always measured. Not thread-safe.
 */
public final class Network implements AutoCloseable {
    /** The relative error at which calibration stops. Reports show the measured time in any case. */
    private static final double TOLERANCE = 0.03;

    /** The most that the driver, the server and late wake-ups add to a round trip. */
    private static final double OVERHEAD_MILLIS = 0.3;

    private static final int ATTEMPTS = 6;
    private static final int SAMPLES = 100;
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private static final Set<Long> PROXIES = ConcurrentHashMap.newKeySet();

    /**
     * Whether this JVM has measured a path before, so that the driver's code is warm. Each proxy is a new process, and
     * starts cold.
     */
    private static volatile boolean isDriverWarm;

    private final ServerAddress server;
    private final @Nullable Process proxy;
    private final int port;
    private double roundTripMillis;
    private boolean isWarm;

    private Network(ServerAddress server, @Nullable Process proxy, int port) {
        this.server = server;
        this.proxy = proxy;
        this.port = port;
    }

    /**
     * Opens the path, with a proxy if a round-trip time is given.
     *
     * @param rttMillis the time that {@code select 1} should take, in milliseconds; 0 for no proxy
     */
    public static Network open(ServerAddress server, double rttMillis) throws SQLException {
        if (!(rttMillis >= 0 && rttMillis <= 1_000)) {
            throw new UserError("A round trip of " + rttMillis + " ms was given. Give 0 to 1000.");
        }
        if (rttMillis == 0) {
            Network direct = new Network(server, null, 0);
            direct.roundTripMillis = direct.measure();
            return direct;
        }
        PGSimpleDataSource target = server.dataSource("");
        Process process = null;
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx64m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ProxyProcess.class.getName(),
                            target.getServerNames()[0],
                            Integer.toString(target.getPortNumbers()[0] == 0 ? 5432 : target.getPortNumbers()[0]))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            PROXIES.add(process.pid());
            // The streams stay open as long as the process lives, so this method closes neither.
            BufferedReader said =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
            PrintWriter told = new PrintWriter(process.getOutputStream(), true, StandardCharsets.US_ASCII);
            Network network = new Network(server, process, Integer.parseInt(line(said)));
            network.calibrate(rttMillis, told, said);
            process = null;
            return network;
        } catch (IOException e) {
            throw new UserError(
                    "The proxy for a round trip of " + rttMillis + " ms did not start: " + e.getMessage()
                            + ". Make memory available for another JVM, or leave out --rtt and --standby.",
                    e);
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }

    private static String line(BufferedReader said) throws IOException {
        String line = said.readLine();
        if (line == null) {
            throw new IOException("it has ended");
        }
        return line;
    }

    /**
     * Adjusts the delay until a round trip takes the requested time. Late wake-ups, the server and the driver add about
     * 0.2 ms, so the delay is shorter than the requested time. The adjustment is limited, because a busy machine may
     * add time that is not part of the network.
     */
    private void calibrate(double rttMillis, PrintWriter told, BufferedReader said) throws SQLException, IOException {
        double delay = Math.max(0, rttMillis - OVERHEAD_MILLIS / 2);
        double best = delay;
        double leastError = Double.MAX_VALUE;
        for (int attempt = 1; attempt <= ATTEMPTS && leastError > TOLERANCE * rttMillis; attempt++) {
            tell(delay, told, said);
            double error = measure() - rttMillis;
            if (Math.abs(error) < leastError) {
                leastError = Math.abs(error);
                best = delay;
            }
            delay = Math.min(rttMillis, Math.max(Math.max(0, rttMillis - OVERHEAD_MILLIS), delay - error));
        }
        tell(best, told, said);
        roundTripMillis = measure();
    }

    private static void tell(double delayMillis, PrintWriter told, BufferedReader said) throws IOException {
        told.println(Math.round(delayMillis / 2 * NANOS_PER_MILLI));
        line(said);
    }

    /** Returns the median time of {@code select 1} in milliseconds. */
    private double measure() throws SQLException {
        PGSimpleDataSource dataSource = server.dataSource("rowlock-jmh-network");
        lead(dataSource);
        long[] nanos = new long[SAMPLES];
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            long warm = System.nanoTime() + (isWarm || (proxy == null && isDriverWarm) ? 0 : WARM_UP_NANOS);
            for (int i = -1; i < SAMPLES; i++) {
                long begun = System.nanoTime();
                try (ResultSet row = statement.executeQuery("select 1")) {
                    row.next();
                }
                nanos[Math.max(0, i)] = System.nanoTime() - begun;
                if (System.nanoTime() < warm) {
                    // The measurements so far ran on cold code, so the loop starts again.
                    i = -1;
                }
            }
        }
        isWarm = true;
        isDriverWarm = true;
        Arrays.sort(nanos);
        return nanos[SAMPLES / 2] / NANOS_PER_MILLI;
    }

    /** The time of {@code select 1} when the path was opened. */
    public double roundTripMillis() {
        return roundTripMillis;
    }

    /** Whether the path still works. At Ctrl-C the proxy may end before its users. */
    public boolean isOpen() {
        return proxy == null || proxy.isAlive();
    }

    /** Whether this process is a proxy that this JVM has started. */
    public static boolean isProxy(long pid) {
        return PROXIES.contains(pid);
    }

    /** Makes a DataSource use this path. */
    public void lead(PGSimpleDataSource dataSource) {
        if (proxy != null) {
            dataSource.setServerNames(new String[] {"127.0.0.1"});
            dataSource.setPortNumbers(new int[] {port});
        }
    }

    @Override
    public void close() {
        if (proxy != null) {
            proxy.destroyForcibly();
        }
    }
}
