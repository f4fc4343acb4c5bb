package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** What the flight recorder has of a wait in the JVM. */
class FlightRecorderTest {
    private static final String EVENT = "org.rowlock.Admission";
    private static final String LOCK = "select * from account where id = 1 for update";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    @Test
    void everyWaitIsAnEvent(@TempDir Path directory) throws Exception {
        GatedDatabase gated = GatedDatabase.of(database, "account");
        Session holder = database.session("holder");
        Session inFront = database.session("inFront", gated.dataSource);
        Session waiter = database.session("waiter", gated.dataSource);
        Path file = directory.resolve("queued.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(EVENT).withoutThreshold();
            recording.start();
            holder.execute(LOCK);
            Step<Boolean> first = inFront.startExecute(LOCK);
            first.awaitBlockedBy(holder);
            Step<Boolean> second = waiter.startExecute(LOCK);
            gated.awaitQueued(1);
            holder.commit();
            first.get();
            inFront.commit();
            second.get();
            waiter.commit();
            recording.stop();
            recording.dump(file);
        }
        assertThat(Files.size(file)).isPositive();
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(EVENT))
                .filter(event -> event.getThread().getJavaName().equals("session-waiter"))
                .toList();
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.getString("key")).isEqualTo("account[1]");
            assertThat(event.getString("outcome")).isEqualTo("ADMITTED");
            assertThat(event.getDuration()).isPositive();
        });
    }
}
