package org.rowlock.tool;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

public abstract class ToolCommand implements Callable<Integer> {
    private static final String VERBOSE = "--verbose";

    @Spec
    @SuppressWarnings("NullAway.Init")
    protected CommandSpec command;

    @Mixin
    protected final ServerOptions server = new ServerOptions();

    protected PrintWriter out() {
        return command.commandLine().getOut();
    }

    protected PrintWriter err() {
        return command.commandLine().getErr();
    }

    protected void refuse(boolean isWrong, String message) {
        refuse(command, isWrong, message);
    }

    public static void refuse(CommandSpec command, boolean isWrong, String message) {
        if (isWrong) {
            throw new ParameterException(command.commandLine(), message);
        }
    }

    /**
     * Creates a command line that reports a failure by a message with advice and an exit status. A stack trace is
     * printed only with {@code --verbose}.
     */
    public static CommandLine commandLine(Object command) {
        // The setting makes System.console() return null without a terminal. From JDK 22 on, the default provider
        // returns a console in any case.
        System.setProperty("jdk.console", "java.base");
        return new CommandLine(command)
                .setParameterExceptionHandler(ToolCommand::misused)
                .setExecutionExceptionHandler((e, line, parsed) -> failed(e, line, parsed.originalArgs()));
    }

    private static int misused(ParameterException e, String[] args) {
        CommandLine line = e.getCommandLine();
        line.getErr().println(e.getMessage());
        UnmatchedArgumentException.printSuggestions(e, line.getErr());
        line.getErr().println("Try: " + line.getCommandSpec().qualifiedName() + " --help");
        trace(e, line, List.of(args));
        return ExitCode.USAGE;
    }

    private static int failed(Exception e, CommandLine line, List<String> args) {
        boolean canTrace = line.getCommandSpec().findOption(VERBOSE) != null;
        String unforeseen = "This failed in an unexpected way: " + ServerFailures.describe(e)
                + (canTrace ? " With " + VERBOSE + " the stack trace shows where." : "");
        line.getErr().println(e instanceof UserError ? e.getMessage() : unforeseen);
        trace(e, line, args);
        return ExitCode.SOFTWARE;
    }

    private static void trace(Exception e, CommandLine line, List<String> args) {
        if (args.contains(VERBOSE)) {
            e.printStackTrace(line.getErr());
        }
    }
}
