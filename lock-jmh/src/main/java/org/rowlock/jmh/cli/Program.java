package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.rowlock.doctor.ServerErrors;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.bench.Scenarios;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The commands, and what becomes of their failures: a message that says what to do, and a status; no stack trace. */
public final class Program {
    static final int WIDTH = 100;

    private final CommandLine commands;

    /**
     * A program.
     *
     * @param out takes results
     * @param err takes what went wrong
     */
    public Program(PrintWriter out, PrintWriter err) {
        this.commands = new CommandLine(new RowlockCommand())
                .setOut(out)
                .setErr(err)
                .setUsageHelpWidth(WIDTH)
                .setParameterExceptionHandler(Program::misused)
                .setExecutionExceptionHandler(Program::failed);
    }

    /** Whether these arguments are for us; others are for JMH. */
    public boolean takes(String... args) {
        return args.length == 0 || args[0].equals("--help") || args[0].equals("--version") || names().contains(args[0]);
    }

    /** The names of the commands. */
    Set<String> names() {
        return commands.getSubcommands().keySet();
    }

    /** The long options of all commands. */
    Set<String> options() {
        return Stream.concat(Stream.of(commands), commands.getSubcommands().values().stream())
                .flatMap(command -> command.getCommandSpec().optionsMap().keySet().stream())
                .filter(name -> name.startsWith("--"))
                .collect(Collectors.toSet());
    }

    /**
     * Runs a command.
     *
     * @return the exit status: 0 if all is well, 1 for failures, 2 for wrong usage
     */
    public int run(String... args) {
        if (args.length == 0) {
            commands.usage(commands.getOut());
            return CommandLine.ExitCode.OK;
        }
        return commands.execute(args);
    }

    private static int misused(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(e.getMessage());
        UnmatchedArgumentException.printSuggestions(e, err);
        if (e instanceof UnmatchedArgumentException unmatched) {
            unmatched.getUnmatched().stream()
                    .filter(word -> Scenarios.named(word).isPresent())
                    .forEach(name -> err.println("Scenarios are named so: --scenario " + name));
        }
        err.println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        traceIfVerbose(e, command);
        return CommandLine.ExitCode.USAGE;
    }

    private static int failed(Exception e, CommandLine command, ParseResult result) {
        PrintWriter err = command.getErr();
        if (e instanceof UserError) {
            err.println(e.getMessage());
        } else {
            err.println("This failed in a way that was not foreseen: " + ServerErrors.describe(e)
                    + " With --verbose it shows where.");
        }
        traceIfVerbose(e, command);
        return CommandLine.ExitCode.SOFTWARE;
    }

    private static void traceIfVerbose(Exception e, CommandLine command) {
        RowlockCommand program = command.getCommandSpec().root().commandLine().getCommand();
        if (program.isVerbose()) {
            e.printStackTrace(command.getErr());
        }
    }
}
