package org.rowlock.jmh.server;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.TcpProxy;
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

    /** The kinds of paths that this JVM has measured: with a proxy (true) or without (false). Their code is warm. */
    private static final Set<Boolean> WARM = ConcurrentHashMap.newKeySet();

    private final ServerAddress server;
    private final @Nullable TcpProxy proxy;
    private final int port;
    private double roundTripMillis;

    private Network(ServerAddress server, @Nullable TcpProxy proxy) throws IOException {
        this.server = server;
        this.proxy = proxy;
        this.port = proxy == null ? 0 : proxy.port();
    }

    /**
     * Opens the path, with a proxy in this JVM if a round-trip time is given.
     *
     * @param rttMillis the time that {@code select 1} should take, in milliseconds; 0 for no proxy
     */
    public static Network open(ServerAddress server, double rttMillis) throws SQLException {
        if (!(rttMillis >= 0 && rttMillis <= 1_000)) {
            throw new UserError("A round trip of " + rttMillis + " ms was given. Give 0 to 1000.");
        }
        try {
            Network network = new Network(server, rttMillis == 0 ? null : proxy(server));
            try {
                network.calibrate(rttMillis);
                return network;
            } catch (SQLException e) {
                network.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UserError(
                    "The proxy for a round trip of " + rttMillis + " ms did not start: " + e.getMessage()
                            + ". Leave out --rtt and --standby.",
                    e);
        }
    }

    private static TcpProxy proxy(ServerAddress server) throws IOException {
        PGSimpleDataSource target = server.dataSource("");
        int port = target.getPortNumbers()[0];
        TcpProxy proxy = TcpProxy.to(target.getServerNames()[0], port == 0 ? 5432 : port);
        proxy.delayOnly();
        return proxy;
    }

    /**
     * Adjusts the delay until a round trip takes the requested time. Late wake-ups, the server and the driver add about
     * 0.2 ms, so the delay is shorter than the requested time. The adjustment is limited, because a busy machine may
     * add time that is not part of the network.
     */
    private void calibrate(double rttMillis) throws SQLException {
        double least = Math.max(0, rttMillis - OVERHEAD_MILLIS);
        double delay = (least + rttMillis) / 2;
        for (int attempt = 0; proxy != null && attempt < ATTEMPTS; attempt++) {
            Duration oneWay = Duration.ofNanos(Math.round(delay / 2 * NANOS_PER_MILLI));
            proxy.delay(oneWay, oneWay);
            roundTripMillis = measure();
            if (Math.abs(roundTripMillis - rttMillis) < TOLERANCE * rttMillis) {
                return;
            }
            delay = Math.min(rttMillis, Math.max(least, delay + rttMillis - roundTripMillis));
        }
        roundTripMillis = measure();
    }

    /** Returns the median time of {@code select 1} in milliseconds. */
    private double measure() throws SQLException {
        PGSimpleDataSource dataSource = server.dataSource("rowlock-jmh-network");
        lead(dataSource);
        long[] nanos = new long[SAMPLES];
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            long warm = System.nanoTime() + (WARM.add(proxy != null) ? WARM_UP_NANOS : 0);
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
        Arrays.sort(nanos);
        return nanos[SAMPLES / 2] / NANOS_PER_MILLI;
    }

    /** The time of {@code select 1} when the path was opened. */
    public double roundTripMillis() {
        return roundTripMillis;
    }

    /** Makes a DataSource use this path. */
    public void lead(PGSimpleDataSource dataSource) {
        if (proxy != null) {
            dataSource.setServerNames(new String[] {"127.0.0.1"});
            dataSource.setPortNumbers(new int[] {port});
        }
    }

    @Override
    public void close() throws IOException {
        if (proxy != null) {
            proxy.close();
        }
    }
}
