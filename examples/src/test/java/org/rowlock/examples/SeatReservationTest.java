package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

class SeatReservationTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table reservation (flight int, seat text, guest text not null, primary key (flight, seat))");

    @ParameterizedTest
    @EnumSource(names = {"BOTH", "ADVISORY"})
    void theSecondGuestWaitsAndIsTold(LockStrategy strategy) throws Exception {
        SeatReservation reservations =
                new SeatReservation(RowLocks.builder().strategy(strategy).build());
        Session alice = database.session("alice");
        Session bob = database.session("bob");

        boolean alices = alice.run(c -> reservations.reserve(c, 714, "12A", "Alice"));
        Step<Boolean> bobs = bob.start(c -> reservations.reserve(c, 714, "12A", "Bob"));
        bobs.awaitBlockedBy(alice);
        alice.commit();

        assertThat(alices).isTrue();
        assertThat(bobs.get()).isFalse();
    }
}
