package org.rowlock.jmh.profile;

import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.UserError;

/**
 * Measures the effect of a benchmark on a PostgreSQL server. The profiler works with any JMH benchmark:
 *
 * <pre>{@code
 * java -jar benchmarks.jar MyBenchmark \
 *   -prof "org.rowlock.jmh.profile.PostgresProfiler:url=jdbc:postgresql://localhost/db;user=me;password=secret"
 * }</pre>
 *
 * <p>The profiler reads the server's counters before and after each iteration and adds figures per operation: {@code
 * wal} (bytes), {@code xids}, {@code multixacts}, {@code deadlocks} and {@code deadTuples}. Dead tuples are row
 * versions that updates and deletes left behind. {@code wal}, {@code xids} and {@code multixacts} are exact and cover
 * the whole server, so no other client should write during the run. {@code deadlocks} and {@code deadTuples} are
 * statistics of the database, which PostgreSQL publishes up to a second late. {@code cpu.client}, {@code cpu.server},
 * {@code cpu.machine} and {@code cpu.others} are numbers of busy cores, and {@code cpu.cores} is the number of all
 * cores. {@code cpu.operation} is the clients' processor time per operation. The server's time is known only if the
 * server runs on this machine.
 *
 * <p>During the iteration the profiler samples pg_stat_activity and adds {@code wait.Type:Event}: the average number of
 * sessions of the database in that wait event. Only members of {@code pg_read_all_stats} see the sessions of other
 * users.
 *
 * <p>Options: {@code url}, {@code user} and {@code password}. Without a URL, the profiler only passes on the results of
 * Rowlock's own benchmarks, which include all of these figures.
 */
public final class PostgresProfiler implements InternalProfiler {
    private static final String USAGE = "PostgresProfiler takes url=..;user=..;password=..";

    private final @Nullable ServerAddress address;
    private @Nullable Window window;

    public PostgresProfiler() throws ProfilerException {
        this("");
    }

    public PostgresProfiler(String initLine) throws ProfilerException {
        Map<String, String> options = parse(initLine == null ? "" : initLine);
        String url = options.get("url");
        try {
            this.address = url == null ? null : new ServerAddress(url, options.get("user"), options.get("password"));
        } catch (UserError e) {
            throw new ProfilerException(USAGE + ". " + e.getMessage());
        }
    }

    private static Map<String, String> parse(String line) throws ProfilerException {
        Map<String, String> options = new HashMap<>();
        for (String option : line.split(";", -1)) {
            if (!option.isBlank()) {
                String[] parts = option.trim().split("=", 2);
                if (parts.length != 2 || !List.of("url", "user", "password").contains(parts[0])) {
                    throw new ProfilerException(USAGE + ", and not " + parts[0]);
                }
                options.put(parts[0], parts[1]);
            }
        }
        return options;
    }

    @Override
    public String getDescription() {
        return "PostgreSQL: WAL, xids, MultiXacts, deadlocks, dead tuples per operation, and sampled wait events";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmarkParams, IterationParams iterationParams) {
        if (address != null) {
            try {
                window = Window.open(address, () -> 0);
            } catch (SQLException e) {
                throw new IllegalStateException("PostgresProfiler cannot read the server: " + e.getMessage(), e);
            }
        }
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmarkParams, IterationParams iterationParams, IterationResult result) {
        Window ended = window;
        window = null;
        if (ended != null) {
            long operations =
                    result.getMetadata() == null ? 0 : result.getMetadata().getAllOps();
            try {
                ended.end(operations).publish();
            } catch (SQLException e) {
                // A benchmark may stop the server on purpose. The incomplete samples are then discarded.
                System.out.println("PostgresProfiler lost the server during the iteration: " + e.getMessage());
            }
        }
        return Published.take();
    }
}
