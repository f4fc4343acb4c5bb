package org.rowlock.jmh.testing;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.rowlock.jmh.profile.LatencyProfiler;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.testing.TestPostgres;

/** Runs a benchmark for a moment on the server of the tests, in a JVM of its own: a run that fails leaves state behind. */
public final class JmhRuns {
    private static final TimeValue MOMENT = TimeValue.milliseconds(200);

    private JmhRuns() {}

    /**
     * Runs all its benchmark methods at a point.
     *
     * @throws RunnerException if the benchmark fails; what it threw is among the causes and suppressed
     */
    public static Collection<RunResult> run(Class<?> benchmark, Point point, String variant) throws RunnerException {
        TestPostgres server = TestPostgres.shared();
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(benchmark.getName()) + "\\.")
                .forks(1)
                .jvmArgsAppend(
                        "-Drowlock.url=" + server.url(),
                        "-Drowlock.user=" + server.user(),
                        "-Drowlock.password=" + server.password())
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(MOMENT)
                .shouldFailOnError(true)
                .param("variant", variant)
                .addProfiler(LatencyProfiler.class)
                .verbosity(VerboseMode.SILENT);
        if (point.groups().isEmpty()) {
            options.threads(point.threads());
        } else {
            options.threadGroups(
                    point.groups().stream().mapToInt(Integer::intValue).toArray());
        }
        for (Map.Entry<String, String> param : point.params().entrySet()) {
            options.param(param.getKey(), param.getValue());
        }
        return new Runner(options.build()).run();
    }

    /** The message of every exception in and behind one. */
    public static List<String> messages(Throwable failure) {
        return Stream.concat(
                        Stream.of(String.valueOf(failure.getMessage())),
                        Stream.concat(Stream.ofNullable(failure.getCause()), Arrays.stream(failure.getSuppressed()))
                                .flatMap(inner -> messages(inner).stream()))
                .toList();
    }
}
