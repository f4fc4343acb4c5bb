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
 * The processor time of this program, the server and the whole machine. This program is the JVM with all processes that
 * it started, including the proxy. The server's processes are seen only if they run on this machine.
 */
public final class Processors {
    private static final Path STAT = Path.of("/proc/stat");

    /** The kernel's unit is a hundredth of a second on every architecture that runs Java. */
    private static final double TICKS_PER_SECOND = 100;

    /**
     * The columns of the line {@code cpu} for idle time and waits for the disk. The two columns after steal are
     * included in the first two.
     */
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

    /** Measures this machine without a server. */
    public static Processors ofThisMachine() {
        return new Processors(ownServers(), true);
    }

    /** Measures this machine and the server of the connection. */
    public static Processors of(Connection connection) throws SQLException {
        List<ProcessHandle> found = Stream.concat(
                        postmaster(Jdbc.number(connection, "select pg_backend_pid()")), ownServers().stream())
                .distinct()
                .toList();
        // The processes of a server in a container on this machine cannot be distinguished from those of other
        // programs.
        boolean isHere = connection.getMetaData().getURL().matches(".*//(localhost|127\\.|\\[::1\\]).*");
        return new Processors(found, !found.isEmpty() || !isHere);
    }

    /**
     * Finds the postmaster of a backend. If the server runs on another machine, this machine has no process with that
     * pid, or one of another program.
     */
    private static Stream<ProcessHandle> postmaster(long backend) {
        return ProcessHandle.of(backend)
                .filter(Processors::isPostgres)
                .flatMap(ProcessHandle::parent)
                .filter(Processors::isPostgres)
                .stream();
    }

    /** Finds the embedded servers, including standbys. They are not children of the JVM that started them. */
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
     * Seconds of processor time, up to a moment or within a time.
     *
     * @param seconds the time that passed
     * @param machine the processor time of all programs
     * @param compiler the time of this JVM's compilers, which is part of {@code client}
     * @param seesServer whether {@code server} is known, so that the rest of {@code machine} belongs to other programs
     */
    public record Taken(
            double seconds, double client, double server, double machine, double compiler, boolean seesServer) {
        public static final Taken NOTHING = new Taken(0, 0, 0, 0, 0, true);

        public Taken and(Taken other) {
            return new Taken(
                    seconds + other.seconds,
                    client + other.client,
                    server + other.server,
                    machine + other.machine,
                    compiler + other.compiler,
                    seesServer && other.seesServer);
        }

        public Taken since(Taken before) {
            return new Taken(
                    seconds - before.seconds,
                    client - before.client,
                    server - before.server,
                    machine - before.machine,
                    compiler - before.compiler,
                    seesServer);
        }

        /** The share of this machine's processors that other programs took; 0 if that is not known. */
        public double othersShare() {
            double others = (machine - client - server) / seconds / SYSTEM.getAvailableProcessors();
            return seesServer ? Math.max(0, others) : 0;
        }

        /** Adds the number of busy cores. */
        void addTo(Published results) {
            results.put("cpu.client", client / seconds, "cores");
            results.put("cpu.compiler", compiler / seconds, "cores");
            results.put("cpu.machine", machine / seconds, "cores");
            results.put("cpu.cores", SYSTEM.getAvailableProcessors(), "cores");
            if (server > 0) {
                results.put("cpu.server", server / seconds, "cores");
            }
            results.put("cpu.others", othersShare() * SYSTEM.getAvailableProcessors(), "cores");
        }
    }

    /** Returns the processor time from a moment in the past until now. */
    public Taken taken() {
        long now = System.nanoTime();
        double machine = machineSeconds(now);
        double client = seconds(ProcessHandle.current());
        double server = servers.stream().mapToDouble(Processors::seconds).sum();
        return new Taken(now / 1e9, client, server, machine, compilerSeconds(), seesServer);
    }

    /** The time that this JVM's compilers have worked. */
    public static double compilerSeconds() {
        return COMPILER == null || !COMPILER.isCompilationTimeMonitoringSupported()
                ? 0
                : COMPILER.getTotalCompilationTime() / 1e3;
    }

    /** The processor time of a process and of all that it started. */
    private static double seconds(ProcessHandle root) {
        return Stream.concat(Stream.of(root), root.descendants())
                        .flatMap(process -> process.info().totalCpuDuration().stream())
                        .mapToLong(Duration::toNanos)
                        .sum()
                / 1e9;
    }

    /** The processor time of the whole machine, including programs outside a container in which this JVM runs. */
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
            // Systems other than Linux report the load since the last call.
            loadSeconds += Math.max(0, SYSTEM.getCpuLoad()) * SYSTEM.getAvailableProcessors() * (now - asked) / 1e9;
            asked = now;
            return loadSeconds;
        }
    }
}
