package org.rowlock.jmh.run;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.ServerAddress;

/**
 * What is to be compared, and where.
 *
 * @param selections the scenarios, in the order in which they run
 * @param server the user's own; null for an embedded one per scenario
 * @param forks 1 for a JVM per variant, point and round; 0 for this JVM, to try things out
 * @param command the exact command that repeats it, without the password, for the report
 * @param crashCommand a shell command that kills and restarts the server, for scenarios that need it
 */
public record ComparisonSettings(
        List<Selection> selections,
        @Nullable ServerAddress server,
        int forks,
        String command,
        @Nullable String crashCommand) {}
