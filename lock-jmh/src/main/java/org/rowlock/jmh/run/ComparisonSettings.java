package org.rowlock.jmh.run;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.OwnStatement;
import org.rowlock.tool.ServerAddress;

/**
 * The settings of a comparison.
 *
 * @param scenarios the scenarios in the order in which they run
 * @param server the user's own server; null for an embedded one per scenario
 * @param forks 1 for a JVM per variant, point and round; 0 for this JVM, to try things out
 * @param budget the time after which a scenario begins no more rounds than it needs; null for no limit
 * @param program the version of the program
 * @param command the command that repeats the run, without the password
 * @param remarks remarks for the report; complete sentences
 * @param standbyMillis the round trip to a synchronous standby of the embedded server, in milliseconds; null for no
 *     standby
 * @param own the statement of the user that is measured; null for none
 */
public record ComparisonSettings(
        List<Scenario> scenarios,
        @Nullable ServerAddress server,
        int forks,
        @Nullable Duration budget,
        String program,
        String command,
        List<String> remarks,
        @Nullable Double standbyMillis,
        @Nullable OwnStatement own) {}
