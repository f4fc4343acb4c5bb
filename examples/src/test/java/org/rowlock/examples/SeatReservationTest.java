package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.TestDatabase;

class SeatReservationTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table reservation (flight int, seat text, guest text not null, primary key (flight, seat))");

    @ParameterizedTest
    @EnumSource(names = {"BOTH", "ADVISORY"})
    void oneOfTheGuestsWhoAskTogetherHasTheSeat(LockStrategy strategy) throws Exception {
        SeatReservation reservations = new SeatReservation(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        ExecutorService guests = Executors.newFixedThreadPool(4);
        List<Boolean> got = new ArrayList<>();
        try {
            Callable<Boolean> reserve = () ->
                    reservations.reserve(714, "12A", Thread.currentThread().getName());
            for (Future<Boolean> each : guests.invokeAll(Collections.nCopies(8, reserve))) {
                got.add(each.get());
            }
        } finally {
            guests.shutdown();
        }
        assertThat(got).containsOnlyOnce(true);
        assertThat(database.query("select count(*) from reservation")).isEqualTo("1");
    }
}
