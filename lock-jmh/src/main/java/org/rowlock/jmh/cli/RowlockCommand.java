package org.rowlock.jmh.cli;

import org.rowlock.doctor.DoctorCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The program as a whole. Without a command it shows its help. */
@Command(
        name = "java -jar benchmarks.jar",
        synopsisSubcommandLabel = "<command>",
        description = {
            "",
            "Should you move from SELECT ... FOR UPDATE to advisory locks, for which tables, and what do you gain? Measures"
                    + " it, on an embedded PostgreSQL or on your own server.",
            ""
        },
        versionProvider = Versions.class,
        subcommands = {CompareCommand.class, DoctorCommand.class, ListCommand.class, HelpCommand.class},
        footer = {
            "",
            "Examples:",
            "  java -jar benchmarks.jar compare",
            "  java -jar benchmarks.jar compare --url jdbc:postgresql://db:5432/app --user bench --password \\",
            "       --scenario zipfian,clients --clients 1,10,90 --report out",
            "  java -jar benchmarks.jar list clients",
            "",
            "Anything else is for JMH, whose jar this is: -h shows its options, -l its benchmarks.",
            "",
            "Exit status: 0 done, 1 something failed, 2 wrong usage, 130 stopped with Ctrl-C."
        })
final class RowlockCommand {
    @Option(names = "--help", usageHelp = true, description = "Shows this.")
    @SuppressWarnings("unused")
    private boolean isHelpAsked;

    @Option(
            names = "--version",
            versionHelp = true,
            description = "Shows the versions of the program and of what it uses.")
    @SuppressWarnings("unused")
    private boolean isVersionAsked;

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            order = 99,
            description = "Shows where in the program a failure came from.")
    private boolean isVerbose;

    boolean isVerbose() {
        return isVerbose;
    }
}
