package org.rowlock.jmh.run;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jmh.results.BenchmarkResult;
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
 * Runs benchmarks with JMH. A failure is an {@link InvariantViolation} if a lock failed to exclude other transactions.
 * Earlier measurements of the variant are then invalid too. Any other failure has the message of its cause, without
 * JMH's wrappers.
 *
 * @param runFile the file that names the server to the fork
 */
record JmhRun(int forks, Path runFile) {
    /**
     * The time limit for a fork to close its connections and drop the schema. After the limit the fork is killed, and
     * this JVM drops the schema.
     */
    private static final long GRACE_SECONDS = 15;

    /** Runs one turn: one variant at one point. */
    Measurement run(Scenario scenario, Point point, Variant variant) {
        Map<String, String> params = new HashMap<>(variant.params());
        params.putAll(point.params());
        return Measurement.of(run(scenario, scenario.timing(), params));
    }

    /** Runs all turns at a point in one JVM, and returns a measurement for each turn. */
    List<Measurement> runTogether(Scenario scenario, Point point, List<Rounds.Place> places) {
        Timing timing = scenario.timing();
        Map<String, String> params = new HashMap<>(point.params());
        params.put(
                Variant.DOOR,
                places.stream().map(place -> place.variant().door()).collect(Collectors.joining(" ")));
        int windows = timing.rounds() * places.size();
        return Measurement.ofWindows(
                run(scenario, new Timing(1, timing.warmupMillis(), windows, timing.millis()), params));
    }

    private BenchmarkResult run(Scenario scenario, Timing timing, Map<String, String> params) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(scenario.benchmark().getName()) + "\\.")
                .forks(forks)
                .measurementIterations(timing.windows())
                .measurementTime(TimeValue.milliseconds(timing.millis()))
                .warmupIterations(0)
                .shouldFailOnError(true)
                .jvmArgsAppend(
                        RunFile.jvmOption(runFile),
                        "-D" + Workload.WARM_UP + "=" + timing.warmupMillis(),
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
                .addProfiler(PostgresProfiler.class)
                .verbosity(VerboseMode.SILENT);
        params.forEach(options::param);
        try {
            return new Runner(options.build()).runSingle().getAggregatedResult();
        } catch (RunnerException e) {
            throw failure(e);
        }
    }

    private static RuntimeException failure(RunnerException failure) {
        List<Throwable> all = all(failure).toList();
        for (Throwable each : all) {
            if (each instanceof InvariantViolation || each instanceof UserError) {
                return (RuntimeException) each;
            }
        }
        Throwable told = all.stream()
                .filter(each -> !(each instanceof RunnerException || each instanceof BenchmarkException))
                .findFirst()
                .orElse(failure);
        String message = told.getMessage();
        return new IllegalStateException(
                message == null || message.isBlank() ? told.getClass().getName() : message.strip(), failure);
    }

    private static Stream<Throwable> all(Throwable failure) {
        return Stream.concat(
                Stream.of(failure),
                Stream.concat(Stream.ofNullable(failure.getCause()), Stream.of(failure.getSuppressed()))
                        .flatMap(JmhRun::all));
    }

    /** Ends the JVMs that JMH has started. JMH does not expose them, so they are found among this JVM's children. */
    static void endForks() {
        List<ProcessHandle> forks =
                ProcessHandle.current().children().filter(JmhRun::isJvm).toList();
        forks.forEach(ProcessHandle::destroy);
        for (ProcessHandle fork : forks) {
            fork.onExit()
                    .completeOnTimeout(fork, GRACE_SECONDS, TimeUnit.SECONDS)
                    .join();
            fork.destroyForcibly();
        }
    }

    /** Recognizes a JVM by the name of its program, because the system may truncate a long command line. */
    private static boolean isJvm(ProcessHandle child) {
        return child.info()
                .command()
                .map(command -> Path.of(command).getFileName().toString())
                .filter(name -> name.startsWith("java"))
                .isPresent();
    }
}
