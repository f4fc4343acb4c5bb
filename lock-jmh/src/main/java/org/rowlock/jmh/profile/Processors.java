package org.rowlock.jmh.profile;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.jmh.server.RunDirectory;

/**
 * Measures the processor time of the clients, the server and the whole machine. The clients are this JVM,
 * including the proxy, and all processes that it started. The server's processor time is known only if the server runs
 * on this machine.
 */
public final class Processors {
    private static final Path STAT = Path.of("/proc/stat");

    /** The kernel counts in hundredths of a second on every architecture that runs Java. */
    private static final double TICKS_PER_SECOND = 100;

    /** The columns of /proc/stat for idle time and waits for the disk. */
    private static final List<Integer> IDLE = List.of(3, 4);

    private static final int COLUMNS = 8;
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final @Nullable CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    private final List<ProcessHandle> servers;
    private final boolean seesServer;
    private double loadSeconds;
    private long asked = System.nanoTime();

    private Processors(List<ProcessHandle> servers, boolean seesServer) {
        this.servers = servers;
        this.seesServer = seesServer;
    }

    /** Measures this machine and any embedded servers of this run. */
    public static Processors ofThisMachine() {
        return new Processors(ownServers(), true);
    }

    public static Processors of(Connection connection) throws SQLException {
        List<ProcessHandle> found = Stream.concat(
                        postmaster(Jdbc.number(connection, "select pg_backend_pid()")), ownServers().stream())
                .distinct()
                .toList();
        // The processes of a server in a local container are invisible here. The server would count as another program.
        boolean isHere = connection.getMetaData().getURL().matches(".*//(localhost|127\\.|\\[::1\\]).*");
        return new Processors(found, !found.isEmpty() || !isHere);
    }

    /**
     * Finds the postmaster of a backend. If the server runs on another machine, the pid is unused here or belongs to
     * another program.
     */
    private static Stream<ProcessHandle> postmaster(long backend) {
        return ProcessHandle.of(backend)
                .filter(Processors::isPostgres)
                .flatMap(ProcessHandle::parent)
                .filter(Processors::isPostgres)
                .stream();
    }

    /**
     * Finds the embedded servers of this run, including standbys. An embedded server is not a child process of the JVM
     * that started it.
     */
    private static List<ProcessHandle> ownServers() {
        return ProcessHandle.allProcesses()
                .filter(Processors::isPostgres)
                .filter(process ->
                        RunDirectory.isIn(process.info().commandLine().orElse("")))
                .toList();
    }

    private static boolean isPostgres(ProcessHandle process) {
        return process.info()
                .command()
                .filter(name -> name.contains("postgres"))
                .isPresent();
    }

    /**
     * The seconds of processor time up to a moment, or between two moments.
     *
     * @param seesServer whether {@code server} is known; otherwise the share of other programs is unknown too
     */
    public record Taken(double seconds, double client, double server, double machine, boolean seesServer) {
        public Taken since(Taken before) {
            return new Taken(
                    seconds - before.seconds,
                    client - before.client,
                    server - before.server,
                    machine - before.machine,
                    seesServer);
        }

        /**
         * The share of this machine's processors that other programs took; 0 if the share is unknown. In a short time
         * the share can be negative, because the kernel counts in coarse units. Such errors cancel out in a mean.
         */
        public double othersShare() {
            return seesServer ? (machine - client - server) / seconds / SYSTEM.getAvailableProcessors() : 0;
        }

        /**
         * Adds the numbers of busy cores, and the processor time per operation.
         *
         * @param operations the number of operations in this time; with 0, there is no time per operation
         */
        public void addTo(Published results, long operations) {
            results.put("cpu.client", client / seconds, "cores");
            results.put("cpu.machine", machine / seconds, "cores");
            results.put("cpu.cores", SYSTEM.getAvailableProcessors(), "cores");
            if (server > 0) {
                results.put("cpu.server", server / seconds, "cores");
            }
            if (operations > 0) {
                results.put("cpu.operation", 1e6 * client / operations, "us");
                if (server > 0) {
                    results.put("cpu.server.operation", 1e6 * server / operations, "us");
                }
            }
            if (seesServer) {
                results.put("cpu.others", othersShare() * SYSTEM.getAvailableProcessors(), "cores");
            }
        }
    }

    /** Returns the total processor time so far; the difference of two results is the time between them. */
    public Taken taken() {
        long now = System.nanoTime();
        double machine = machineSeconds(now);
        double client = seconds(ProcessHandle.current());
        double server = servers.stream().mapToDouble(Processors::seconds).sum();
        return new Taken(now / 1e9, client, server, machine, seesServer);
    }

    public static double compilerSeconds() {
        return COMPILER == null || !COMPILER.isCompilationTimeMonitoringSupported()
                ? 0
                : COMPILER.getTotalCompilationTime() / 1e3;
    }

    private static double seconds(ProcessHandle root) {
        return Stream.concat(Stream.of(root), root.descendants())
                        .flatMap(process -> process.info().totalCpuDuration().stream())
                        .mapToLong(Duration::toNanos)
                        .sum()
                / 1e9;
    }

    /**
     * The processor time of the whole machine. If this JVM runs in a container, programs outside the container are
     * included.
     */
    private double machineSeconds(long now) {
        try (Stream<String> lines = Files.lines(STAT)) {
            long[] ticks = Arrays.stream(lines.findFirst().orElse("").split(" +", -1))
                    .skip(1)
                    .limit(COLUMNS)
                    .mapToLong(Long::parseLong)
                    .toArray();
            return (LongStream.of(ticks).sum()
                            - IDLE.stream().mapToLong(column -> ticks[column]).sum())
                    / TICKS_PER_SECOND;
        } catch (IOException | ArrayIndexOutOfBoundsException e) {
            // Without /proc/stat, the JVM reports the load since the last call.
            loadSeconds += Math.max(0, SYSTEM.getCpuLoad()) * SYSTEM.getAvailableProcessors() * (now - asked) / 1e9;
            asked = now;
            return loadSeconds;
        }
    }
}
