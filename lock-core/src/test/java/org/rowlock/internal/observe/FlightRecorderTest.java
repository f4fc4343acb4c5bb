package org.rowlock.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.RowLockMode.FOR_UPDATE;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Locks.tryLock;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.EndedEvent;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** What a flight recording of the JVM shows of Rowlock. */
class FlightRecorderTest {
    private static final String ACQUISITION = "org.rowlock.LockAcquisition";
    private static final String ADMISSION = "org.rowlock.Admission";
    private static final String HOLD = "org.rowlock.LockHold";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    @TempDir
    private Path directory;

    @FunctionalInterface
    private interface Action {
        void run() throws Exception;
    }

    private List<RecordedEvent> record(Recording recording, Action action) throws Exception {
        Path file = directory.resolve("recording.jfr");
        try (recording) {
            recording.start();
            action.run();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = new ArrayList<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().startsWith("org.rowlock.")) {
                events.add(event);
            }
        }
        events.sort(Comparator.comparing(RecordedEvent::getStartTime));
        return events;
    }

    private static Recording both() {
        Recording recording = new Recording();
        recording.enable(ACQUISITION).withoutThreshold();
        recording.enable(ADMISSION).withoutThreshold();
        recording.disable(HOLD);
        return recording;
    }

    @EveryStrategy
    void everyAttemptIsAnEvent(LockStrategy strategy, RowLocks locks, Session alice, Session bob) throws Exception {
        LockKey key = row("account", 1);
        List<RecordedEvent> events = record(both(), () -> {
            lock(alice, locks, forUpdate(key));
            tryLock(bob, locks, forShare(List.of(row("account", 2), key)));
        });
        assertThat(events).hasSize(2).allSatisfy(event -> {
            assertThat(event.getEventType().getName()).isEqualTo(ACQUISITION);
            assertThat(event.getEventType().getLabel()).isEqualTo("Lock acquisition");
            assertThat(event.getEventType().getCategoryNames()).containsExactly("Rowlock");
            assertThat(event.getString("strategy")).isEqualTo(strategy.name());
            assertThat(event.getDuration()).isPositive();
            assertThat(event.getStackTrace()).isNull();
        });
        assertThat(values(events.get(0), "key", "keys", "mode", "lockWait", "outcome"))
                .containsExactly("account[1]", 1, "FOR_UPDATE", "forever", "ACQUIRED");
        assertThat(events.get(0).getThread().getJavaName()).isEqualTo("session-alice");
        assertThat(values(events.get(1), "key", "keys", "mode", "lockWait", "outcome"))
                .containsExactly("account[2]", 2, "FOR_SHARE", "noWait", "NOT_AVAILABLE");
    }

    private static List<Object> values(RecordedEvent event, String... fields) {
        return Arrays.stream(fields).<Object>map(event::getValue).toList();
    }

    @Test
    void whatWasHeldIsAnEventOfItsOwn() throws Exception {
        Recording recording = new Recording();
        recording.disable(ACQUISITION);
        recording.disable(ADMISSION);
        recording.enable(HOLD).withoutThreshold();
        List<LockKey> keys = List.of(row("account", 2), row("account", 1));
        List<RecordedEvent> events = record(
                recording,
                () -> RowLocks.of(database.dataSource()).lock(forUpdate(keys)).inTransaction(tx -> null));
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(values(event, "key", "keys", "mode", "strategy", "lockWait", "outcome"))
                    .containsExactly("account[2]", 2, "FOR_UPDATE", "ROW", "forever", "COMMITTED");
            assertThat(event.getDuration()).isPositive();
        });
    }

    @Test
    void admissionIsAnEventOfItsOwn() throws Exception {
        RowLocks locks = LockAccess.builder().build();
        List<LockKey> keys = List.of(row("account", 2), row("account", 1));
        List<RecordedEvent> events = record(both(), () -> {
            on(locks, database.dataSource()).lock(forUpdate(keys)).useTransaction(tx -> {});
            Thread.currentThread().interrupt();
            try {
                on(locks, database.dataSource()).lock(forUpdate(keys.get(1))).useTransaction(tx -> {});
            } catch (LockInterruptedException e) {
                assertThat(Thread.interrupted()).isTrue();
            }
        });
        assertThat(events)
                .extracting(event -> event.getEventType().getName())
                .containsExactly(ADMISSION, ACQUISITION, ADMISSION);
        assertThat(values(events.get(0), "key", "keys", "mode", "strategy", "outcome"))
                .containsExactly("account[1]", 2, "FOR_UPDATE", "ROW", "ADMITTED");
        assertThat(values(events.get(2), "key", "keys", "outcome")).containsExactly("account[1]", 1, "REFUSED");
    }

    @Test
    void eventsThatAreDisabledAreNotWritten() throws Exception {
        RowLocks locks = LockAccess.builder().build();
        Recording recording = new Recording();
        recording.disable(ACQUISITION);
        recording.disable(HOLD);
        recording.enable(ADMISSION).withoutThreshold();
        List<RecordedEvent> events = record(
                recording,
                () -> on(locks, database.dataSource())
                        .lock(forUpdate(row("account", 1)))
                        .inTransaction(tx -> null));
        assertThat(events).extracting(event -> event.getEventType().getName()).containsExactly(ADMISSION);
    }

    @Test
    void withoutARecordingNothingIsMade() {
        Events.OfKeys event = Events.of(Kind.ACQUISITION);
        event.begin();
        event.end(new EndedEvent(
                Kind.ACQUISITION,
                List.of(row("account", 1)),
                FOR_UPDATE,
                LockStrategy.BOTH,
                LockWait.NO_WAIT,
                Outcome.ACQUIRED,
                Duration.ZERO));
        assertThat(event.isEnabled()).isFalse();
        assertThat(event.key).isEmpty();
        assertThat(event.outcome).isEmpty();
    }
}
