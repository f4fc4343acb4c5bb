package org.rowlock.jmh.run;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.OwnStatement;
import org.rowlock.tool.ServerAddress;

/**
 * The settings of a comparison.
 *
 * @param server the user's own server; null for an embedded server per scenario
 * @param forks 1 for a new JVM per measurement; 0 to run in this JVM, for tests
 * @param command the command that repeats the run, without the password
 * @param standbyMillis the round trip to a synchronous standby of the embedded server, in milliseconds; null for no
 *     standby
 * @param own the user's statement to measure; null for none
 */
public record ComparisonSettings(
        List<Scenario> scenarios,
        @Nullable ServerAddress server,
        int forks,
        String program,
        String command,
        List<String> remarks,
        @Nullable Double standbyMillis,
        @Nullable OwnStatement own) {}
