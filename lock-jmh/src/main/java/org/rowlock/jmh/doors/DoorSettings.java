package org.rowlock.jmh.doors;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.ServerAddress;

/**
 * What is to be run.
 *
 * @param server the user's own; null for an embedded one for each point
 * @param clients how many threads, a tenth of which only read
 * @param roundTrips of the networks between clients and server, in milliseconds
 * @param rows how many to pick from by zipf; 1 for one row for all
 * @param writes statements that a transaction writes by; JPA always writes by one
 * @param doors the names of those to compare; those by hand, which ratios refer to, always run
 * @param rounds in each of which every door has a slice
 * @param slice how long each slice is
 * @param warmUps how many passes through all doors it warms up by at most
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
    /** The most connections at a time, with those that look and clean up. */
    public int connections() {
        return 12
                + Pools.connections(
                        clients.stream().mapToInt(Integer::intValue).max().orElse(1));
    }

    /** How long it takes about: the slices, and as long again to compile, to connect and to start servers. */
    public Duration estimate() {
        int points = clients.size() * roundTrips.size() * rows.size();
        return slice.multipliedBy((long) points * (rounds + 6) * (doors.size() + 2))
                .multipliedBy(4)
                .dividedBy(3);
    }
}
