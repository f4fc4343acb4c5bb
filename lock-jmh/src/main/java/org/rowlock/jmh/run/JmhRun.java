package org.rowlock.jmh.run;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
 * Runs the turns of a scenario with JMH, each in a new JVM.
 *
 * @param runFile the file that names the server to the fork
 */
record JmhRun(Comparison comparison, Scenario scenario, Rounds rounds, int forks, Path runFile) {
    /** The number of consecutive failures after which a variant is left out. */
    private static final int MOST_FAILURES = 3;

    /**
     * The time limit for a fork to close its connections and drop the schema. After the limit the fork is killed, and
     * the comparison drops the schema.
     */
    private static final long GRACE_SECONDS = 15;

    void run() {
        Map<Variant, Integer> failed = new HashMap<>();
        int planned = scenario.timing().rounds();
        for (int round = 1; round <= planned; round++) {
            for (Point point : scenario.points()) {
                for (Rounds.Place place : Comparison.turns(scenario, point, round)) {
                    if (failed.getOrDefault(place.variant(), 0) < MOST_FAILURES && !comparison.isStopped()) {
                        int failures = run(place, round);
                        failed.merge(place.variant(), failures, (before, more) -> more == 0 ? 0 : before + more);
                    }
                }
            }
        }
    }

    /**
     * Runs one turn, and returns the number of failures to count. If locks failed to exclude other transactions, the
     * number is so large that the variant is left out.
     */
    private int run(Rounds.Place place, int round) {
        Variant variant = place.variant();
        String what = String.format(
                "%d/%d  %s, %s%s",
                round,
                scenario.timing().rounds(),
                place.point().label(),
                variant.label(),
                place.again() ? " again" : "");
        try {
            Measurement measured = run(place.point(), variant);
            double others = Limit.othersShare(measured.figures());
            if (others > Answer.MOST_OF_OTHERS && comparison.mayRepeat()) {
                comparison.tell(String.format("  %-46s other programs took %.0f %%; repeated", what, 100 * others));
                measured = run(place.point(), variant);
            }
            rounds.add(place, round, measured);
            String shown = scenario.headline().shown(measured.of(scenario.headline()));
            comparison.tell(String.format("  %-46s %12s  %s left", what, shown, comparison.ended(scenario)));
            return 0;
        } catch (RunnerException e) {
            Throwable failure = cause(e);
            boolean isViolation = failure instanceof InvariantViolation;
            if (comparison.isStopped() && !isViolation) {
                return 0;
            }
            comparison.fail(scenario.name() + ", " + variant.label() + ", round " + round, failure);
            if (isViolation) {
                // The earlier measurements of the variant are invalid too.
                rounds.drop(each -> each.variant().equals(variant));
            }
            return isViolation ? MOST_FAILURES : 1;
        }
    }

    private Measurement run(Point point, Variant variant) throws RunnerException {
        Timing timing = scenario.timing();
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
        variant.params().forEach(options::param);
        point.params().forEach(options::param);
        return Measurement.of(new Runner(options.build()).runSingle().getAggregatedResult());
    }

    /**
     * Ends the JVMs that JMH has started. JMH does not expose its JVMs, so this method finds them among the child
     * processes, by the name of their program.
     */
    static void endForks() {
        List<ProcessHandle> forks = ProcessHandle.current()
                .children()
                .filter(child -> child.info()
                        .command()
                        .filter(command ->
                                Path.of(command).getFileName().toString().startsWith("java"))
                        .isPresent())
                .toList();
        forks.forEach(ProcessHandle::destroy);
        for (ProcessHandle fork : forks) {
            fork.onExit()
                    .completeOnTimeout(fork, GRACE_SECONDS, TimeUnit.SECONDS)
                    .join();
            fork.destroyForcibly();
        }
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
}
