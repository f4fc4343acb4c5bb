package org.rowlock.jmh.run;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.jmh.scenario.Scenario;

/**
 * What is to be compared, and where.
 *
 * @param scenarios as they are to be run, in this order
 * @param server the user's own; null for an embedded one per scenario
 * @param forks 1 for a JVM per variant, point and round; 0 for this JVM, to try things out
 * @param budget after which no more rounds begin than each scenario needs; null for none
 * @param program its version
 * @param command that repeats it, without the password
 * @param remarks for the report; complete sentences
 * @param standbyMillis the round trip to a synchronous standby of the embedded server, in milliseconds; null for no
 *     standby
 */
public record ComparisonSettings(
        List<Scenario> scenarios,
        @Nullable ServerAddress server,
        int forks,
        @Nullable Duration budget,
        String program,
        String command,
        List<String> remarks,
        @Nullable Double standbyMillis) {}
