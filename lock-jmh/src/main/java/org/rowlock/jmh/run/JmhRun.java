package org.rowlock.jmh.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.rowlock.jmh.profile.ClientProfiler;
import org.rowlock.jmh.profile.PostgresProfiler;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.RunFile;

/** Lets JMH run one variant at one point, once, with our profilers. */
final class JmhRun {
    private final int forks;
    private final @Nullable Path runFile;
    private final @Nullable String crashCommand;

    /**
     * @param forks 1, or 0 for this JVM
     * @param runFile names the server to the fork; null where it has an embedded one of its own, or none
     */
    JmhRun(int forks, @Nullable Path runFile, @Nullable String crashCommand) {
        this.forks = forks;
        this.runFile = runFile;
        this.crashCommand = crashCommand;
    }

    /** The benchmark failed; the message is what it said. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        Failure(String message, Throwable cause) {
            super(message, cause);
        }
    }

    BenchmarkResult run(Selection selection, Point point, String variant) throws Failure {
        Scenario.Rhythm rhythm = selection.rhythm();
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(selection.scenario().benchmark().getName()) + "\\.")
                .forks(forks)
                .measurementIterations(rhythm.iterations())
                .shouldFailOnError(true)
                .jvmArgsAppend(jvmArgs())
                .addProfiler(ClientProfiler.class)
                .addProfiler(PostgresProfiler.class)
                .addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT)
                .param("variant", variant);
        point.params().forEach(options::param);
        if (rhythm.singleShot()) {
            options.mode(Mode.SingleShotTime).warmupIterations(0);
        } else {
            options.warmupIterations(rhythm.warmupMillis() > 0 ? 1 : 0)
                    .warmupTime(TimeValue.milliseconds(Math.max(1, rhythm.warmupMillis())))
                    .measurementTime(TimeValue.milliseconds(rhythm.millis()));
        }
        if (point.groups().isEmpty()) {
            options.threads(point.threads());
        } else {
            options.threadGroups(
                    point.groups().stream().mapToInt(Integer::intValue).toArray());
        }
        try {
            List<RunResult> results = new ArrayList<>(new Runner(options.build()).run());
            if (results.size() != 1) {
                throw new IllegalStateException(selection.scenario().benchmark().getSimpleName() + " gave "
                        + results.size() + " results, and a scenario has one");
            }
            return results.get(0).getBenchmarkResults().iterator().next();
        } catch (RunnerException e) {
            throw new Failure(FailureMessage.of(e), e);
        }
    }

    private String[] jvmArgs() {
        List<String> args = new ArrayList<>();
        if (runFile != null) {
            args.add(RunFile.jvmOption(runFile));
        }
        args.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=error");
        if (crashCommand != null) {
            args.add("-Drowlock.crash-command=" + crashCommand);
        }
        return args.toArray(String[]::new);
    }
}
