package org.rowlock.jmh.report;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.WorkloadParams;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;

/**
 * All cells as JMH writes results. Each is a result whose forks are its rounds, and has two parameters more, so that
 * cells that differ in threads alone stay apart: {@code scenario} and {@code point}.
 */
final class JmhJson {
    /** Arguments that belong to one run, and may hold a password. */
    private static final String OURS = "-Drowlock.";

    private JmhJson() {}

    static String of(RunResults results) {
        List<RunResult> all = new ArrayList<>();
        for (ScenarioResult result : results.results()) {
            for (Cell cell : result.cells()) {
                all.add(new RunResult(params(result, cell), cell.rounds()));
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8);
        ResultFormatFactory.getInstance(ResultFormatType.JSON, out).writeOut(all);
        out.flush();
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static BenchmarkParams params(ScenarioResult result, Cell cell) {
        BenchmarkParams params = cell.rounds().get(0).getParams();
        WorkloadParams workload = new WorkloadParams();
        int order = 0;
        workload.put("scenario", result.scenario().name(), order);
        workload.put("point", cell.point().label(), order);
        for (String key : params.getParamsKeys()) {
            workload.put(key, params.getParam(key), ++order);
        }
        IterationParams warmup = params.getWarmup();
        IterationParams measurement = params.getMeasurement();
        return new BenchmarkParams(
                params.getBenchmark(),
                params.generatedBenchmark(),
                params.shouldSynchIterations(),
                params.getThreads(),
                params.getThreadGroups(),
                params.getThreadGroupLabels(),
                params.getForks() == 0 ? 0 : cell.rounds().size(),
                params.getWarmupForks(),
                warmup,
                measurement,
                params.getMode(),
                workload,
                params.getTimeUnit(),
                params.getOpsPerInvocation(),
                params.getJvm(),
                params.getJvmArgs().stream()
                        .filter(argument -> !argument.startsWith(OURS))
                        .toList(),
                params.getJdkVersion(),
                params.getVmName(),
                params.getVmVersion(),
                params.getJmhVersion(),
                params.getTimeout());
    }
}
