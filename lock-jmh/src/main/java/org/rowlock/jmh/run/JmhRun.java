package org.rowlock.jmh.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.rowlock.jmh.bench.Workload;
import org.rowlock.jmh.profile.PostgresProfiler;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.RunFile;

/**
 * Runs one turn with JMH: one variant at one point.
 *
 * @param runFile the file that names the server to the fork; null if the fork starts its own embedded server
 */
record JmhRun(@Nullable Path runFile) {
    Measurement run(Scenario scenario, Point point, Variant variant) throws BenchmarkFailure {
        Timing timing = scenario.timing();
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(scenario.benchmark().getName()) + "\\.")
                .forks(1)
                .measurementIterations(timing.windows())
                .measurementTime(TimeValue.milliseconds(timing.millis()))
                .warmupIterations(0)
                .shouldFailOnError(true)
                .jvmArgsAppend(jvmArgs(timing))
                .addProfiler(PostgresProfiler.class)
                .verbosity(VerboseMode.SILENT);
        variant.params().forEach(options::param);
        point.params().forEach(options::param);
        try {
            return Measurement.of(new Runner(options.build()).runSingle().getAggregatedResult());
        } catch (RunnerException e) {
            throw BenchmarkFailure.of(e);
        }
    }

    private String[] jvmArgs(Timing timing) {
        List<String> args = new ArrayList<>();
        if (runFile != null) {
            args.add(RunFile.jvmOption(runFile));
        }
        args.add("-D" + Workload.WARM_UP + "=" + timing.warmupMillis());
        args.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=error");
        return args.toArray(String[]::new);
    }
}
