package org.rowlock.jmh.doors;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.bench.JdbcDoors;
import org.rowlock.tool.ServerAddress;

/**
 * The settings of a run.
 *
 * @param server the user's own server; null for an embedded server per point
 * @param clients the numbers of threads to measure with
 * @param roundTrips the round-trip times between clients and server to measure with, in milliseconds; 0 for no proxy
 * @param rows the numbers of rows to measure with; 1 for one hot row
 * @param writes the number of writing statements in a transaction; JPA always has one
 * @param doors the names of the variants to compare; the baselines always run
 * @param rounds the number of rounds; every variant has a slice in each round
 * @param warmUps the largest number of warm-up passes
 */
public record DoorSettings(
        @Nullable ServerAddress server,
        List<Integer> clients,
        List<Double> roundTrips,
        List<Integer> rows,
        int writes,
        List<String> doors,
        int rounds,
        Duration slice,
        int warmUps) {
    /** The largest number of connections at a time, including connections for checks and clean-up. */
    public int connections() {
        return 12
                + JdbcDoors.connections(
                        clients.stream().mapToInt(Integer::intValue).max().orElse(1));
    }

    /** Estimates the time of the run: the slices, plus a third for warm-up, connections and server starts. */
    public Duration estimate() {
        int points = clients.size() * roundTrips.size() * rows.size();
        return slice.multipliedBy((long) points * (rounds + 6) * (doors.size() + 2))
                .multipliedBy(4)
                .dividedBy(3);
    }
}
