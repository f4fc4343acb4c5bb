package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.RowLocks;
import org.rowlock.examples.EventStore.Event;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

class EventStoreTest {
    @RegisterExtension
    final TestDatabase database =
            new TestDatabase("create table event (id bigint generated always as identity primary key, text text)");

    private EventStore events;

    @BeforeEach
    void locks() {
        events = new EventStore(RowLocks.of(database.dataSource()));
    }

    @Test
    void theReaderPassesNoGap() throws Exception {
        Session alice = database.session("alice");
        Session bob = database.session("bob");
        Session reader = database.session("reader");

        alice.act(c -> events.append(c, "first"));
        bob.act(c -> events.append(c, "second"));
        bob.commit();
        // What a reader without the lock would see, and go on from.
        assertThat(database.query("select min(id) from event")).isEqualTo("2");
        Step<List<Event>> read = reader.start(c -> events.readAfter(c, 0));
        read.awaitBlockedBy(alice);
        alice.commit();

        assertThat(read.get()).containsExactly(new Event(1, "first"), new Event(2, "second"));
        assertThat(reader.<List<Event>>run(c -> events.readAfter(c, 2))).isEmpty();
    }
}
