package org.rowlock.jmh.profile;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.server.Sql;

/**
 * How many processor cores this JVM, the server and the whole machine keep busy. The server's are seen where its
 * processes are: on this machine.
 */
final class Processors {
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final @Nullable ProcessHandle postmaster;
    private final long clientBefore;
    private final Map<Long, Duration> serverBefore;

    private Processors(@Nullable ProcessHandle postmaster) {
        this.postmaster = postmaster;
        this.serverBefore = serverTimes();
        this.clientBefore = system.getProcessCpuTime();
        // The load of the machine is that since the last question.
        double unused = system.getCpuLoad();
    }

    /** From now on. */
    static Processors watch(Connection connection) throws SQLException {
        return new Processors(postmaster(Sql.number(connection, "select pg_backend_pid()")));
    }

    /** A pid of another machine is no process here, or one of another program. */
    private static @Nullable ProcessHandle postmaster(long backend) {
        return ProcessHandle.of(backend)
                .filter(Processors::isPostgres)
                .flatMap(ProcessHandle::parent)
                .filter(Processors::isPostgres)
                .orElse(null);
    }

    private static boolean isPostgres(ProcessHandle process) {
        return process.info()
                .command()
                .filter(name -> name.contains("postgres"))
                .isPresent();
    }

    private Map<Long, Duration> serverTimes() {
        Map<Long, Duration> times = new HashMap<>();
        if (postmaster != null) {
            Stream.concat(Stream.of(postmaster), postmaster.children())
                    .forEach(process ->
                            process.info().totalCpuDuration().ifPresent(time -> times.put(process.pid(), time)));
        }
        return times;
    }

    /** Adds the cores that were busy since the beginning. */
    void end(Published results, double seconds) {
        results.put("cpu.client", (system.getProcessCpuTime() - clientBefore) / 1e9 / seconds, "cores");
        double load = system.getCpuLoad();
        int cores = system.getAvailableProcessors();
        results.put("cpu.cores", cores, "cores");
        if (load >= 0) {
            results.put("cpu.machine", load * cores, "cores");
        }
        if (postmaster != null) {
            double busy = 0;
            for (Map.Entry<Long, Duration> process : serverTimes().entrySet()) {
                Duration before = serverBefore.getOrDefault(process.getKey(), Duration.ZERO);
                busy += process.getValue().minus(before).toNanos() / 1e9;
            }
            results.put("cpu.server", busy / seconds, "cores");
        }
    }
}
