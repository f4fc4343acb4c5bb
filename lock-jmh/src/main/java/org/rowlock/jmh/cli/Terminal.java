package org.rowlock.jmh.cli;

import java.io.Console;
import java.util.List;
import java.util.Locale;

/** Whether a person sits in front of it, and what that person answers. */
final class Terminal {
    private Terminal() {}

    /** Whether both what we read and what we write is a terminal. */
    @SuppressWarnings("SystemConsoleNull")
    static boolean isInteractive() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // From JDK 22 on there may be a console without a terminal, and a method that tells.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** Asks for a yes; anything else is a no. */
    @SuppressWarnings("SystemConsoleNull")
    static boolean confirm(String question) {
        Console console = System.console();
        String answer = console == null ? null : console.readLine("%s [y/N] ", question);
        return answer != null && List.of("y", "yes").contains(answer.trim().toLowerCase(Locale.ROOT));
    }
}
