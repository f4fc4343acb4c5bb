package org.rowlock.jmh.profile;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ResultRole;
import org.openjdk.jmh.results.SampleTimeResult;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.util.SampleBuffer;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * Adds what a benchmark's own threads record to the results, a secondary result per name: {@link Latency}, whose
 * percentiles JMH joins over iterations and forks without averaging them, {@link Throughput}, {@link Average} and
 * {@link Gauge}. JMH's own
 * counters would only add up. Usable with {@code -prof org.rowlock.jmh.profile.ClientProfiler}.
 */
public final class ClientProfiler implements InternalProfiler {
    @Override
    public String getDescription() {
        return "Latencies, averages and states that Rowlock's benchmarks record, such as the time to get a lock";
    }

    private Throughput.@Nullable Window window;

    @Override
    public void beforeIteration(BenchmarkParams benchmarkParams, IterationParams iterationParams) {
        take();
        window = benchmarkParams.getMode() == Mode.Throughput
                ? window(iterationParams.getTime().convertTo(TimeUnit.NANOSECONDS))
                : null;
    }

    /** Without a warm-up the server is opened, and its tables made, within the first iteration. */
    private static Throughput.Window window(long nanos) {
        return BenchmarkServer.current() == null
                ? Throughput.Window.fromFirstOperation(nanos)
                : Throughput.Window.of(nanos);
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmarkParams, IterationParams iterationParams, IterationResult result) {
        List<Result<?>> results = take();
        if (window != null) {
            window.perSecond()
                    .ifPresent(rate ->
                            results.add(new ScalarResult(Throughput.NAME, rate, "ops/s", AggregationPolicy.AVG)));
        }
        return results;
    }

    /** What was recorded since the last time. */
    private static List<Result<?>> take() {
        List<Result<?>> results = new ArrayList<>(Gauge.takeAll());
        Average.takeAll()
                .forEach((name, value) -> results.add(new ScalarResult(name, value, "#", AggregationPolicy.AVG)));
        Latency.takeAll()
                .forEach((name, histogram) -> results.add(
                        new SampleTimeResult(ResultRole.SECONDARY, name, bufferOf(histogram), TimeUnit.MILLISECONDS)));
        return results;
    }

    private static SampleBuffer bufferOf(Histogram histogram) {
        SampleBuffer buffer = new SampleBuffer();
        for (HistogramIterationValue value : histogram.recordedValues()) {
            for (long i = 0; i < value.getCountAddedInThisIterationStep(); i++) {
                buffer.add(value.getValueIteratedTo());
            }
        }
        return buffer;
    }
}
