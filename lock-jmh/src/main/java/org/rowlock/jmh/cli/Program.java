package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.util.Version;
import org.postgresql.util.DriverInfo;
import org.rowlock.doctor.DoctorCommand;
import org.rowlock.jmh.profile.PostgresProfiler;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.tool.ServerOptions;
import org.rowlock.tool.ToolCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The main class of the jar. The first argument decides: Rowlock runs its own commands, and JMH gets all other
 * arguments. A failed command prints a message with advice and no stack trace, and returns a status.
 */
@Command(
        name = "java -jar benchmarks.jar",
        synopsisSubcommandLabel = "<command>",
        description = {
            "",
            "What do you gain over SELECT ... FOR UPDATE by hand: with a queue, another lock, or fewer round trips?"
                    + " This program measures the gain, on an embedded PostgreSQL or on your own server.",
            ""
        },
        versionProvider = Program.class,
        subcommands = {CompareCommand.class, DoctorCommand.class, HelpCommand.class},
        footer = {
            "",
            "Examples:",
            "  java -jar benchmarks.jar compare",
            "  java -jar benchmarks.jar compare --help",
            "  java -jar benchmarks.jar list clients",
            "",
            "All other arguments go to JMH, which this jar contains: -h shows its options, -l its benchmarks.",
            "",
            "Exit status: 0 done, 1 something failed, 2 wrong usage, 130 stopped with Ctrl-C."
        })
public final class Program implements IVersionProvider {
    static final int WIDTH = 100;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(names = "--help", usageHelp = true, description = "Shows this.")
    @SuppressWarnings("UnusedVariable") // picocli reads the option
    private boolean isHelpAsked;

    @Option(
            names = "--version",
            versionHelp = true,
            description = "Shows the versions of the program and its libraries.")
    @SuppressWarnings("UnusedVariable")
    private boolean isVersionAsked;

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            order = 99,
            description = "Shows the stack trace of a failure.")
    @SuppressWarnings("UnusedVariable") // ToolCommand searches for it
    private boolean isVerbose;

    public static void main(String[] args) throws Exception {
        if (takes(args)) {
            Charset charset = Charset.defaultCharset();
            System.exit(
                    run(new PrintWriter(System.out, true, charset), new PrintWriter(System.err, true, charset), args));
        }
        List<String> all = new ArrayList<>(List.of(args));
        // Rowlock's profiler adds latencies, WAL and wait events to JMH's output, beside any profiler of the user.
        if (all.stream().noneMatch(arg -> arg.startsWith(PostgresProfiler.class.getName()))) {
            all.addAll(List.of("-prof", PostgresProfiler.class.getName()));
        }
        // By default, JMH succeeds with an empty table even if all benchmarks failed.
        if (!all.contains("-foe")) {
            all.addAll(List.of("-foe", "true"));
        }
        org.openjdk.jmh.Main.main(all.toArray(String[]::new));
    }

    /**
     * Whether these arguments select a command of Rowlock. JMH's options begin with one dash, and names of benchmarks
     * have capitals or dots.
     */
    public static boolean takes(String... args) {
        return args.length == 0 || args[0].startsWith("--") || args[0].matches("[a-z][a-z-]*");
    }

    /**
     * Runs a command.
     *
     * @return the exit status: 0 for success, 1 for failures, 2 for wrong usage
     */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        return ToolCommand.commandLine(new Program())
                .setOut(out)
                .setErr(err)
                .setUsageHelpWidth(WIDTH)
                .execute(args.length == 0 ? new String[] {"help"} : args);
    }

    @Command(name = "list", description = "Shows the scenarios, or the details of one.")
    void list(
            @Option(
                            names = {"-h", "--help"},
                            usageHelp = true,
                            description = "Shows this.")
                    boolean isHelpAsked,
            @Parameters(
                            arity = "0..1",
                            paramLabel = "<scenario>",
                            converter = ScenarioName.class,
                            description = "The scenario to show in detail.")
                    @Nullable
                    Scenario one) {
        PrintWriter out = command.commandLine().getOut();
        if (one != null) {
            out.printf("%s%n%nTakes %s. Run it: compare --scenario %s%n", one.text(), Plan.size(one), one.name());
            return;
        }
        TextTable table = Plan.table(22);
        for (Scenario each : Scenarios.all()) {
            table.addRowValues((each.brief() == null ? "  " : "* ") + each.name(), each.title());
            table.addRowValues("", Plan.size(each));
        }
        out.println(table);
        out.println("* 'compare' runs these scenarios by default. 'list <scenario>' shows a scenario in detail.");
    }

    static String given(CommandSpec command, ServerOptions server) {
        List<String> args = command.commandLine().getParent().getParseResult().originalArgs();
        String password = server.givenPassword();
        return args.stream()
                .filter(arg -> !arg.equals(password))
                .map(arg -> arg.replaceFirst("^--password=.*", "--password")
                        .replaceAll("([?&](?:ssl)?password=)[^&]*", "$1..."))
                .map(arg -> arg.matches("[A-Za-z0-9_./:,=+@%-]+") ? arg : "'" + arg + "'")
                .collect(Collectors.joining(" ", "java -jar benchmarks.jar ", ""));
    }

    static String version() {
        String version = Program.class.getPackage().getImplementationVersion();
        return "Rowlock benchmarks " + (version == null ? "(built here)" : version);
    }

    @Override
    public String[] getVersion() {
        return new String[] {
            version(),
            "JMH " + Version.getPlainVersion(),
            DriverInfo.DRIVER_FULL_NAME,
            "Java " + System.getProperty("java.runtime.version")
        };
    }
}
