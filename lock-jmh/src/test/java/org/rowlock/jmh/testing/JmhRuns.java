package org.rowlock.jmh.testing;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.rowlock.jmh.bench.Workload;
import org.rowlock.jmh.profile.PostgresProfiler;
import org.rowlock.testing.TestPostgres;

/**
 * Runs a benchmark briefly on the server of the tests. The benchmark has its own JVM, because a failed run leaves state
 * behind in its JVM.
 */
public final class JmhRuns {
    private static final TimeValue MOMENT = TimeValue.milliseconds(300);

    private JmhRuns() {}

    /**
     * Runs the benchmark. The parameters alternate between names and values.
     *
     * @throws RunnerException if the benchmark fails; the benchmark's own exception is among the causes and suppressed
     *     exceptions
     */
    public static RunResult run(Class<?> benchmark, String... params) throws RunnerException {
        return run(benchmark, 1, params);
    }

    /**
     * Runs the benchmark for the given number of windows. The parameters can include JMH's {@code -t}, {@code -bm} and
     * {@code -r}, the seconds of a window.
     */
    public static RunResult run(Class<?> benchmark, int windows, String... params) throws RunnerException {
        TestPostgres server = TestPostgres.shared();
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(benchmark.getName()) + "\\.")
                .forks(1)
                .jvmArgsAppend(
                        "-D" + Workload.WARM_UP + "=0",
                        "-Drowlock.url=" + server.url(),
                        "-Drowlock.user=" + server.user(),
                        "-Drowlock.password=" + server.password())
                .warmupIterations(0)
                .measurementIterations(windows)
                .measurementTime(MOMENT)
                .shouldFailOnError(true)
                .addProfiler(PostgresProfiler.class)
                .verbosity(VerboseMode.SILENT);
        for (int i = 0; i < params.length; i += 2) {
            if (params[i].equals("-bm")) {
                options.mode(Mode.deepValueOf(params[i + 1]));
            } else if (params[i].equals("-t")) {
                options.threads(Integer.parseInt(params[i + 1]));
            } else if (params[i].equals("-r")) {
                options.measurementTime(TimeValue.seconds(Long.parseLong(params[i + 1])));
            } else {
                options.param(params[i], params[i + 1]);
            }
        }
        Collection<RunResult> results = new Runner(options.build()).run();
        if (results.size() != 1) {
            throw new IllegalStateException(
                    "Give one value of each parameter: there are " + results.size() + " results");
        }
        return results.iterator().next();
    }

    /** Returns the figures of a result by name. */
    public static Map<String, Double> figures(RunResult result) {
        Map<String, Double> figures = new TreeMap<>();
        figures.put("score", result.getPrimaryResult().getScore());
        result.getSecondaryResults().forEach((label, secondary) -> figures.put(label, secondary.getScore()));
        return figures;
    }

    /** Runs a benchmark that must fail, and returns the messages of the failure and of all its causes. */
    public static List<String> failure(Class<?> benchmark, String... params) {
        try {
            run(benchmark, params);
        } catch (RunnerException e) {
            return messages(e);
        }
        return List.of("it did not fail");
    }

    /** Returns the messages of an exception, its causes and its suppressed exceptions. */
    public static List<String> messages(Throwable failure) {
        return Stream.concat(
                        Stream.of(String.valueOf(failure.getMessage())),
                        Stream.concat(Stream.ofNullable(failure.getCause()), Stream.of(failure.getSuppressed()))
                                .flatMap(inner -> messages(inner).stream()))
                .toList();
    }
}
