package org.rowlock.jmh.profile;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ResultRole;
import org.openjdk.jmh.results.SampleTimeResult;
import org.openjdk.jmh.util.SampleBuffer;

/**
 * Adds what threads record as {@link Latency} to the results: a secondary result per name, whose percentiles JMH joins
 * over iterations and forks without averaging them. Usable with {@code -prof org.rowlock.jmh.profile.LatencyProfiler}.
 */
public final class LatencyProfiler implements InternalProfiler {
    @Override
    public String getDescription() {
        return "Latencies of parts of an operation, such as getting the lock (only benchmarks that record them)";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmarkParams, IterationParams iterationParams) {
        Latency.takeAll();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmarkParams, IterationParams iterationParams, IterationResult result) {
        List<SampleTimeResult> results = new ArrayList<>();
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
