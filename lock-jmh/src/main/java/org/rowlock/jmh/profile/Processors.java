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
import org.rowlock.jmh.server.RunDirectory;
import org.rowlock.jmh.server.Sql;

/**
 * What this program, the server and the whole machine take of the processors. This program is the JVM with all
 * processes that it has started, the proxy among them. The server's processes are seen if they run on this machine.
 */
public final class Processors {
    private static final Path STAT = Path.of("/proc/stat");

    /** The kernel counts in hundredths of a second, on every architecture that Java runs on. */
    private static final double TICKS_PER_SECOND = 100;

    /** Columns of the line {@code cpu}: idle and waiting for the disk. The two behind steal are in the first two. */
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

    /** Without a server. */
    public static Processors ofThisMachine() {
        return new Processors(ownServers(), true);
    }

    /** With the server that the connection leads to. */
    public static Processors of(Connection connection) throws SQLException {
        List<ProcessHandle> found = Stream.concat(
                        postmaster(Sql.number(connection, "select pg_backend_pid()")), ownServers().stream())
                .distinct()
                .toList();
        // A server in a container on this machine has processes that cannot be told from those of other programs.
        boolean isHere = connection.getMetaData().getURL().matches(".*//(localhost|127\\.|\\[::1\\]).*");
        return new Processors(found, !found.isEmpty() || !isHere);
    }

    /** A pid of another machine is no process here, or one of another program. */
    private static Stream<ProcessHandle> postmaster(long backend) {
        return ProcessHandle.of(backend)
                .filter(Processors::isPostgres)
                .flatMap(ProcessHandle::parent)
                .filter(Processors::isPostgres)
                .stream();
    }

    /** The embedded servers, a standby among them, which are no children of the JVM that has started them. */
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
     * How many seconds of a processor were taken, up to a time or within one.
     *
     * @param seconds that passed
     * @param machine by all programs
     * @param compiler by this JVM's compilers, which are part of {@code client}
     * @param seesServer whether {@code server} is known, so that what is left of {@code machine} is of other programs
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

        /** Adds how many cores were busy. */
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

    /** Up to now, since some time in the past. */
    public Taken taken() {
        long now = System.nanoTime();
        double machine = machineSeconds(now);
        double client = seconds(ProcessHandle.current());
        double server = servers.stream().mapToDouble(Processors::seconds).sum();
        return new Taken(now / 1e9, client, server, machine, compilerSeconds(), seesServer);
    }

    /** How long this JVM's compilers have worked. */
    public static double compilerSeconds() {
        return COMPILER == null || !COMPILER.isCompilationTimeMonitoringSupported()
                ? 0
                : COMPILER.getTotalCompilationTime() / 1e3;
    }

    /** A process and all that it has started. */
    private static double seconds(ProcessHandle root) {
        return Stream.concat(Stream.of(root), root.descendants())
                        .flatMap(process -> process.info().totalCpuDuration().stream())
                        .mapToLong(Duration::toNanos)
                        .sum()
                / 1e9;
    }

    /** What the whole machine has taken, also outside of a container that this JVM is in. */
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
            // Other systems than Linux give the load since the last question.
            loadSeconds += Math.max(0, SYSTEM.getCpuLoad()) * SYSTEM.getAvailableProcessors() * (now - asked) / 1e9;
            asked = now;
            return loadSeconds;
        }
    }
}
