package org.rowlock.jmh.cli;

import picocli.CommandLine.Option;

/** Help for a command. A mixin. */
final class HelpOption {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            order = 100,
            description = "Shows this.")
    @SuppressWarnings("unused")
    private boolean isAsked;
}
