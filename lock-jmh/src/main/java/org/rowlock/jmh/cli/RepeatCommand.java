package org.rowlock.jmh.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The command line that does the same once more, to be pasted into a shell; without the password. */
final class RepeatCommand {
    private static final String PASSWORD = "--password";
    private static final String URL = "--url";
    private static final String IN_URL = "([?&])(?:ssl)?password=[^&]*";

    private RepeatCommand() {}

    /**
     * @param args as they were given
     * @param password that was given among them; null if none was
     */
    static String of(List<String> args, @Nullable String password) {
        List<String> shown = new ArrayList<>(program());
        boolean hadPassword = false;
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            if (arg.equals(PASSWORD) || arg.startsWith(PASSWORD + "=")) {
                hadPassword = true;
                if (arg.equals(PASSWORD)
                        && i + 1 < args.size()
                        && args.get(i + 1).equals(password)) {
                    i++;
                }
            } else if (arg.startsWith(URL + "=") || (i > 0 && args.get(i - 1).equals(URL))) {
                String without = withoutPassword(arg);
                hadPassword |= !without.equals(arg);
                shown.add(without);
            } else {
                shown.add(arg);
            }
        }
        if (hadPassword) {
            // Asks for it.
            shown.add(PASSWORD);
        }
        return String.join(" ", shown.stream().map(RepeatCommand::quoted).toList());
    }

    private static List<String> program() {
        String started = System.getProperty("sun.java.command", "").split(" ", 2)[0];
        return started.toLowerCase(Locale.ROOT).endsWith(".jar")
                ? List.of("java", "-jar", started)
                : List.of("java", "-jar", "benchmarks.jar");
    }

    private static String withoutPassword(String url) {
        return url.replaceAll(IN_URL, "$1").replaceAll("([?&])&+", "$1").replaceAll("[?&]$", "");
    }

    private static String quoted(String arg) {
        return arg.matches("[A-Za-z0-9_./:,=+@%-]+") ? arg : "'" + arg.replace("'", "'\\''") + "'";
    }
}
