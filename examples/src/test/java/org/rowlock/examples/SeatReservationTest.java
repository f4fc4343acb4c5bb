package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

class SeatReservationTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table reservation (flight int, seat text, guest text not null, primary key (flight, seat))");

    @ParameterizedTest
    @EnumSource(names = {"BOTH", "ADVISORY"})
    void oneOfTheGuestsWhoAskTogetherHasTheSeat(LockStrategy strategy) throws Exception {
        SeatReservation reservations = new SeatReservation(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        assertThat(Threads.query(8, guest -> reservations.reserve(714, "12A", "guest " + guest)))
                .containsOnlyOnce(true);
        assertThat(database.query("select count(*) from reservation")).isEqualTo("1");
    }
}
