package org.rowlock.doctor;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The jar's entry. */
public final class DoctorMain {
    private static final String VERBOSE = "--verbose";

    private DoctorMain() {}

    /**
     * Looks at a server.
     *
     * @param args the options
     */
    public static void main(String[] args) {
        System.exit(commandLine(new DoctorCommand())
                .setCommandName("java -jar doctor.jar")
                .execute(args));
    }

    /** Commands whose failures are a message that says what to do, and a status; no stack trace unless asked for. */
    public static CommandLine commandLine(Object command) {
        return new CommandLine(command)
                .setParameterExceptionHandler(DoctorMain::misused)
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
        line.getErr()
                .println(
                        e instanceof UserError
                                ? e.getMessage()
                                : "This failed in a way that was not foreseen: " + ServerFailures.describe(e)
                                        + (canTrace ? " With " + VERBOSE + " it shows where." : ""));
        trace(e, line, args);
        return ExitCode.SOFTWARE;
    }

    private static void trace(Exception e, CommandLine line, List<String> args) {
        if (args.contains(VERBOSE)) {
            e.printStackTrace(line.getErr());
        }
    }
}
