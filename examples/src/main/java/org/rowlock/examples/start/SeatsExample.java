package org.rowlock.examples.start;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.examples.SeatReservation;
import org.rowlock.testing.Threads;

/** Guests compete at the same moment for seats whose rows do not exist yet. */
final class SeatsExample implements Example {
    private static final int FLIGHT = 7;
    private static final List<String> SEATS = List.of("1A", "1B", "1C", "1D", "1E");

    @Override
    public String title() {
        return THREADS + " guests ask for each of " + SEATS.size() + " seats at the same moment";
    }

    @Override
    public List<String> tables() {
        return List.of("create table reservation"
                + " (flight int, seat text, guest text not null, primary key (flight, seat))");
    }

    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        // A row that does not exist yet can be locked by its key alone.
        SeatReservation reservations = new SeatReservation(RowLocks.builder(dataSource)
                .strategy("reservation", LockStrategy.ADVISORY)
                .build());
        List<String> lines = new ArrayList<>();
        for (String seat : SEATS) {
            lines.add(seat + " goes to guest " + winner(reservations, seat)
                    + "; the others get the answer that it is taken, and none gets a duplicate key.");
        }
        return lines;
    }

    private static int winner(SeatReservation reservations, String seat) throws Exception {
        List<Boolean> got = Threads.query(THREADS, guest -> reservations.reserve(FLIGHT, seat, "guest " + (guest + 1)));
        int[] winners = IntStream.range(0, got.size()).filter(got::get).toArray();
        if (winners.length != 1) {
            throw new IllegalStateException(winners.length + " guests got the answer that they have seat " + seat);
        }
        return winners[0] + 1;
    }
}
