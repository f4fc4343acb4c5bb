package org.rowlock.jmh.run;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jmh.runner.BenchmarkException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.rowlock.jmh.bench.InvariantViolation;
import org.rowlock.jmh.bench.Workload;
import org.rowlock.jmh.profile.PostgresProfiler;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.RunFile;
import org.rowlock.tool.UserError;

/**
 * Runs one turn with JMH: one variant at one point.
 *
 * @param runFile the file that names the server to the fork
 */
record JmhRun(int forks, Path runFile) {
    Measurement run(Scenario scenario, Point point, Variant variant) throws RunnerException {
        Timing timing = scenario.timing();
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(scenario.benchmark().getName()) + "\\.")
                .forks(forks)
                .measurementIterations(timing.windows())
                .measurementTime(TimeValue.milliseconds(timing.millis()))
                .warmupIterations(0)
                .shouldFailOnError(true)
                .jvmArgsAppend(jvmArgs(timing))
                .addProfiler(PostgresProfiler.class)
                .verbosity(VerboseMode.SILENT);
        variant.params().forEach(options::param);
        point.params().forEach(options::param);
        return Measurement.of(new Runner(options.build()).runSingle().getAggregatedResult());
    }

    /** Returns the exception inside JMH's wrappers; preferably a violation, or an error that the user can remedy. */
    static Throwable cause(RunnerException failure) {
        List<Throwable> all = all(failure).toList();
        return all.stream()
                .filter(each -> each instanceof InvariantViolation || each instanceof UserError)
                .findFirst()
                .or(() -> all.stream()
                        .filter(each -> !(each instanceof RunnerException || each instanceof BenchmarkException))
                        .findFirst())
                .orElse(failure);
    }

    private static Stream<Throwable> all(Throwable failure) {
        return Stream.concat(
                Stream.of(failure),
                Stream.concat(Stream.ofNullable(failure.getCause()), Stream.of(failure.getSuppressed()))
                        .flatMap(JmhRun::all));
    }

    private String[] jvmArgs(Timing timing) {
        return new String[] {
            RunFile.jvmOption(runFile),
            "-D" + Workload.WARM_UP + "=" + timing.warmupMillis(),
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
        };
    }
}
