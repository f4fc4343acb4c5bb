package org.rowlock.tool;

import java.io.Console;
import java.nio.charset.Charset;
import java.util.Scanner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command-line options that select a server, and {@code --help}. Commands include them as a mixin. */
public final class ServerOptions {
    /** The value of {@code --password} without a value. */
    private static final String PROMPT = "\0";

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(
            names = "--url",
            paramLabel = "<url>",
            description = "Your server: jdbc:postgresql://host:port/database. Parameters of the driver may follow"
                    + " after a question mark.")
    private @Nullable String url;

    @Option(
            names = "--user",
            paramLabel = "<name>",
            description = "The role to log in as. Default: the role in the URL, or else your name on this machine.")
    private @Nullable String user;

    @Option(
            names = "--password",
            paramLabel = "<password>",
            arity = "0..1",
            fallbackValue = PROMPT,
            description = "The password of the role; without a value, the program prompts for it. Default: the"
                    + " password in the URL, in the environment variable PGPASSWORD, or in your password file"
                    + " (~/.pgpass).")
    private @Nullable String password;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            order = 100,
            description = "Shows this help.")
    @SuppressWarnings("unused")
    private boolean isHelpAsked;

    /** Returns the server that the options name; null without {@code --url}. */
    public @Nullable ServerAddress address() {
        if (url == null) {
            if (user != null || password != null) {
                throw new ParameterException(
                        command.commandLine(),
                        (user == null ? "--password" : "--user") + " needs a server of yours. Give its address too:"
                                + " --url jdbc:postgresql://host:port/database.");
            }
            return null;
        }
        try {
            ServerAddress address = new ServerAddress(url, user, givenPassword());
            // PGPASSWORD takes precedence over a password file, as it does in libpq.
            return address.hasPassword() ? address : new ServerAddress(url, user, System.getenv("PGPASSWORD"));
        } catch (UserError e) {
            throw new ParameterException(command.commandLine(), "--url: " + e.getMessage(), e);
        }
    }

    /** Returns the password that was given as an option. Callers remove this password from printed text. */
    public @Nullable String givenPassword() {
        if (PROMPT.equals(password)) {
            password = prompted();
        }
        return password;
    }

    /** Prompts for the password, but never on the output: its reader may be a program. */
    @SuppressWarnings("SystemConsoleNull")
    private String prompted() {
        Console console = System.console();
        if (console != null) {
            char[] typed = console.readPassword("Password: ");
            return typed == null ? "" : new String(typed);
        }
        command.commandLine().getErr().print("Password (not hidden, because the output is redirected): ");
        command.commandLine().getErr().flush();
        Scanner input = new Scanner(System.in, Charset.defaultCharset());
        return input.hasNextLine() ? input.nextLine() : "";
    }
}
