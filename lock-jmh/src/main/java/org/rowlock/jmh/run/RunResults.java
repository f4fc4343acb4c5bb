package org.rowlock.jmh.run;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Everything that a comparison found out, for the report.
 *
 * @param results of each scenario, in the order in which they ran
 * @param failures of scenarios that did not finish: name and message
 * @param command the exact command that repeats it, without the password
 * @param started when
 * @param took how long
 * @param server what it ran on: name, version, where; label and value, in the order in which they are shown
 * @param settings the server's settings that matter, by name
 * @param machine of the clients, and of the server where it is embedded: cores, memory, system, JDK; label and value
 */
public record RunResults(
        List<ScenarioResult> results,
        Map<String, String> failures,
        String command,
        Instant started,
        Duration took,
        Map<String, String> server,
        Map<String, String> settings,
        Map<String, String> machine) {}
