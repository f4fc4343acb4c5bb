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
import org.rowlock.jmh.profile.ClientProfiler;
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
        return run(benchmark, point, variant, 1);
    }

    /** The same in several iterations. */
    public static Collection<RunResult> run(Class<?> benchmark, Point point, String variant, int iterations)
            throws RunnerException {
        TestPostgres server = TestPostgres.shared();
        return runWith(
                benchmark,
                point,
                variant,
                iterations,
                "-Drowlock.url=" + server.url(),
                "-Drowlock.user=" + server.user(),
                "-Drowlock.password=" + server.password());
    }

    /** The same on the server that the options of its JVM name; with none on an embedded one of its own. */
    public static Collection<RunResult> runWith(
            Class<?> benchmark, Point point, String variant, int iterations, String... jvmArgs) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(benchmark.getName()) + "\\.")
                .forks(1)
                .jvmArgsAppend(jvmArgs)
                .warmupIterations(0)
                .measurementIterations(iterations)
                .measurementTime(MOMENT)
                .shouldFailOnError(true)
                .param("variant", variant)
                .addProfiler(ClientProfiler.class)
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
