package org.rowlock.doctor;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The jar's entry. */
public final class DoctorMain {
    private DoctorMain() {}

    /**
     * Looks at a server.
     *
     * @param args the options
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new DoctorCommand())
                .setCommandName("java -jar doctor.jar")
                .setParameterExceptionHandler(DoctorMain::misused)
                .setExecutionExceptionHandler(DoctorMain::failed)
                .execute(args));
    }

    private static int misused(ParameterException e, String[] args) {
        PrintWriter err = e.getCommandLine().getErr();
        err.println(e.getMessage());
        UnmatchedArgumentException.printSuggestions(e, err);
        err.println("Try: " + e.getCommandLine().getCommandName() + " --help");
        return ExitCode.USAGE;
    }

    private static int failed(Exception e, CommandLine command, ParseResult result) {
        command.getErr()
                .println(
                        e instanceof UserError
                                ? e.getMessage()
                                : "This failed in a way that was not foreseen: " + ServerFailures.describe(e));
        return ExitCode.SOFTWARE;
    }
}
