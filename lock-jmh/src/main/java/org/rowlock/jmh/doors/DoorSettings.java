package org.rowlock.jmh.doors;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.tool.ServerAddress;

/**
 * The settings of a run.
 *
 * @param server the user's own server; null for an embedded one per point
 * @param clients the number of threads, a tenth of which only read
 * @param roundTrips the round trips of the networks between clients and server, in milliseconds
 * @param rows the number of rows to pick from by zipf; 1 if all threads use one row
 * @param writes the number of statements by which a transaction writes; JPA always has one
 * @param doors the names of the doors to compare; the hand-written baselines always run
 * @param rounds the number of rounds; in each, every door has a slice
 * @param slice the length of a slice
 * @param warmUps the largest number of warm-up passes through all doors
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
    /** The largest number of connections at a time, including those of checks and cleaning up. */
    public int connections() {
        return 12
                + DoorPools.connections(
                        clients.stream().mapToInt(Integer::intValue).max().orElse(1));
    }

    /** Estimates the time: the slices, plus a third for compiling, connecting and starting servers. */
    public Duration estimate() {
        int points = clients.size() * roundTrips.size() * rows.size();
        return slice.multipliedBy((long) points * (rounds + 6) * (doors.size() + 2))
                .multipliedBy(4)
                .dividedBy(3);
    }
}
