package org.rowlock.jmh.bench;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.AggregationPolicy;
import org.rowlock.jmh.profile.Gauge;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * Readers of 30 random rows a time beside one inserter. Where the rows do not fit into the server's buffers, every read
 * takes a buffer from another page, and changes the table that says which buffer holds which page.
 */
@State(Scope.Benchmark)
public class BufferMappingBenchmark {
    private static final int INSERT = 0;
    private static final int READ = 1;

    /** {@code in-memory}: the readers' rows fit into the buffers. {@code evicting}: they do not. */
    @Param({"in-memory", "evicting"})
    public String variant = "";

    /** The most that the table may take. It is made four times as large as the server's buffers if that is less. */
    @Param("256")
    public int megabytes;

    private final LongAdder inserted = new LongAdder();
    private BenchmarkServer server;
    private LookupRows rows;
    private Sessions inserters;
    private Sessions readers;
    private long pagesBefore;
    private long nanosBefore;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        server = BenchmarkServer.open(Map.of("shared_buffers", "16MB"));
        rows = LookupRows.create(server, variant, megabytes);
        inserters = Sessions.open(server, Sessions.threads(params, INSERT));
        readers = Sessions.open(server, Sessions.threads(params, READ));
    }

    @Setup(Level.Iteration)
    public void begin() throws SQLException {
        pagesBefore = rows.pagesRead();
        nanosBefore = System.nanoTime();
    }

    @TearDown(Level.Iteration)
    public void look() throws SQLException {
        double seconds = (System.nanoTime() - nanosBefore) / (double) TimeUnit.SECONDS.toNanos(1);
        Gauge.set("buffers.read", (rows.pagesRead() - pagesBefore) / seconds, "pages/s", AggregationPolicy.AVG);
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> rows.checkInserted(inserted.sum()));
    }

    @Benchmark
    @Group("buffers")
    @GroupThreads(1)
    public void insert(Inserter inserter) throws SQLException {
        inserter.insert.executeUpdate();
        inserted.increment();
    }

    @Benchmark
    @Group("buffers")
    @GroupThreads(150)
    public void read(Reader reader) throws SQLException {
        reader.lookups.read();
    }

    /** A thread that inserts. */
    @State(Scope.Thread)
    public static class Inserter {
        PreparedStatement insert;

        @Setup
        public void open(BufferMappingBenchmark benchmark) throws SQLException {
            insert = LookupRows.insert(benchmark.inserters.take());
        }
    }

    /** A thread that reads. */
    @State(Scope.Thread)
    public static class Reader {
        LookupRows.Lookups lookups;

        @Setup
        public void open(BufferMappingBenchmark benchmark) throws SQLException {
            lookups = benchmark.rows.lookups(benchmark.readers.take());
        }
    }
}
