package org.rowlock.doctor;

import picocli.CommandLine.Option;

/** Help for a command. A mixin. */
public final class HelpOption {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            order = 100,
            description = "Shows this.")
    @SuppressWarnings("unused")
    private boolean isAsked;
}
