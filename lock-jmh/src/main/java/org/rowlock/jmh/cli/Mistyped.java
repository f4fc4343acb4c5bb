package org.rowlock.jmh.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.rowlock.jmh.bench.Scenarios;

/** Notices arguments that go to JMH, and were meant for us. */
public record Mistyped(Program program) {
    /** What to tell whoever gave these arguments; empty if JMH knows what to do with them. */
    public Optional<String> hint(String... args) {
        String first = args[0];
        String option = first.split("=", 2)[0];
        if (program.options().contains(option)) {
            return Optional.of(
                    "The option " + option + " belongs to a command, which comes first: java -jar benchmarks.jar"
                            + " compare " + option + " ...");
        }
        if (first.startsWith("-") || matchesABenchmark(first)) {
            return Optional.empty();
        }
        List<String> scenarios = Scenarios.names();
        Optional<String> command = Nearest.to(first, program.names())
                .map(name ->
                        "Did you mean the command " + name + "? Try: java -jar benchmarks.jar " + name + " --help");
        Optional<String> scenario = Nearest.to(first, scenarios)
                .map(name ->
                        "There is a scenario of about this name: java -jar benchmarks.jar compare --scenario " + name);
        return (scenarios.contains(first) ? scenario.or(() -> command) : command.or(() -> scenario))
                .map(guess -> "There is no command and no benchmark '" + first + "'. " + guess);
    }

    private static boolean matchesABenchmark(String pattern) {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
        OutputFormat quiet = OutputFormatFactory.createFormatInstance(nowhere, VerboseMode.SILENT);
        try {
            return !BenchmarkList.defaultList()
                    .find(quiet, List.of(pattern), List.of())
                    .isEmpty();
        } catch (java.util.regex.PatternSyntaxException e) {
            // JMH says what is wrong with it.
            return true;
        }
    }
}
