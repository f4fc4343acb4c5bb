package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/**
 * Whatever becomes of those who enter, each place is free afterwards: timeouts, refusals, interrupts, cancels from
 * outside, failures inside, outages, groups whose holder completes, hands back or forgets its members, keys in front
 * that are given up, and entries left by another thread.
 */
class FreePlacesTest {
    private static final int THREADS = 6;
    private static final int ENTRIES = 60;
    private static final int KEYS = 2;

    /** What a schedule has seen. */
    private static final class Seen {
        final AtomicInteger exclusive = new AtomicInteger();
        final AtomicInteger shared = new AtomicInteger();
        final AtomicInteger wrong = new AtomicInteger();
        final AtomicInteger completed = new AtomicInteger();
        final AtomicInteger served = new AtomicInteger();
    }

    private KeyQueues queues = KeyQueues.adaptive(0);
    private int width;
    private boolean outages;
    private final List<Seen> seen = new ArrayList<>();
    private final ConcurrentLinkedQueue<QueueEntry> wakeable = new ConcurrentLinkedQueue<>();

    @Property(tries = 60, shrinking = ShrinkingMode.OFF)
    void allPlacesAreFreeAfterwards(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int width, @ForAll boolean outages)
            throws Exception {
        this.width = width;
        this.outages = outages;
        QueuePolicy policy = new AdaptivePolicy(width, System::nanoTime, new OtherClients(System::nanoTime));
        this.queues = new KeyQueues(() -> policy, TimeUnit.MICROSECONDS.toNanos(500));
        seen.clear();
        wakeable.clear();
        for (int key = 0; key < KEYS; key++) {
            seen.add(new Seen());
        }
        run(seed);
    }

    private void run(long seed) throws Exception {
        Threads.run(THREADS, number -> {
            Random random = new Random(seed + number);
            for (int entry = 0; entry < ENTRIES; entry++) {
                visit(random);
            }
        });
        assertThat(queues.keysInUse()).isZero();
        assertThat(queues.queued()).isZero();
        assertThat(queues.inside()).isZero();
        for (int key = 0; key < KEYS; key++) {
            assertThat(seen.get(key).wrong).hasValue(0);
            assertThat(seen.get(key).served).hasValue(seen.get(key).completed.get());
            for (QueueEntry next : List.of(queues.join(key, false, null), queues.entry(key, null))) {
                assertThat(next.tryEnterFree()).isTrue();
                next.leave();
            }
        }
    }

    private void visit(Random random) throws Exception {
        int key = random.nextInt(KEYS);
        boolean byKey = random.nextInt(3) > 0;
        boolean shared = byKey && random.nextInt(4) == 0;
        Object offer = random.nextBoolean() ? "offer" : null;
        QueueEntry entry = byKey ? queues.join(key, shared, offer) : queues.entry(key, offer);
        if (random.nextInt(4) == 0) {
            // As by a cancel, at whatever moment.
            wakeable.add(entry);
        }
        Thread self = Thread.currentThread();
        if (random.nextInt(8) == 0) {
            self.interrupt();
        }
        boolean leftByAnother = random.nextInt(10) == 0;
        try {
            EntryState state = enter(entry, random);
            if (state == EntryState.SERVED) {
                assertThat(entry.served()).isNotNull();
                seen.get(key).served.incrementAndGet();
            }
            if (state == EntryState.IN) {
                inside(entry, key, byKey, shared, random);
            }
            QueueEntry other = wakeable.poll();
            if (other != null) {
                other.wake();
            }
        } finally {
            Thread.interrupted();
            if (leftByAnother) {
                Thread another = new Thread(entry::leave);
                another.start();
                another.join();
            }
            entry.leave();
        }
    }

    private static EntryState enter(QueueEntry entry, Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> entry.tryEnter() ? EntryState.IN : EntryState.OVER;
            case 1 -> entry.tryEnterFree() ? EntryState.IN : EntryState.OVER;
            case 2 -> entry.enter(random.nextInt(200_000), 3);
            default -> entry.enter(TestDatabase.DEADLINE.toNanos(), random.nextBoolean() ? Integer.MAX_VALUE : 2);
        };
    }

    private void inside(QueueEntry entry, int key, boolean byKey, boolean shared, Random random) {
        Seen here = seen.get(key);
        // With a connection in hand more are let in after a while, and in an outage all.
        boolean checked = byKey && !outages;
        AtomicInteger mine = shared ? here.shared : here.exclusive;
        AtomicInteger others = shared ? here.exclusive : here.shared;
        int now = checked ? mine.incrementAndGet() : 0;
        if (checked && (others.get() > 0 || (!shared && now > width))) {
            here.wrong.incrementAndGet();
        }
        try {
            Front front = entry.front(LockFront.values()[random.nextInt(3)]);
            if (front != null) {
                switch (random.nextInt(4)) {
                    case 0 -> front.unsent();
                    case 1 -> front.givenUp();
                    default -> front.answered(random.nextInt(3) - 1);
                }
            }
            if (!shared && random.nextInt(3) == 0) {
                lead(entry, here, random);
            }
            if (byKey && outages && random.nextInt(5) == 0) {
                entry.queue.open(random.nextBoolean());
            }
            if (random.nextBoolean()) {
                Thread.yield();
            }
        } finally {
            if (checked) {
                mine.decrementAndGet();
            }
        }
        if (!byKey && random.nextBoolean()) {
            entry.endServerWait(random.nextBoolean(), random.nextBoolean());
        }
        entry.released(true);
    }

    /** Some members get an outcome, some are handed back, and some forgotten. */
    private static void lead(QueueEntry holder, Seen here, Random random) {
        for (QueueEntry member : holder.take(1 + random.nextInt(4), offer -> random.nextInt(4) > 0)) {
            switch (random.nextInt(3)) {
                case 0 -> {
                    here.completed.incrementAndGet();
                    QueueGroup.complete(member, "done");
                }
                case 1 -> QueueGroup.handBack(member);
                default -> {
                    // Forgotten: handed back when the holder leaves, or failed.
                    if (random.nextBoolean()) {
                        here.completed.incrementAndGet();
                        member.sent();
                    }
                }
            }
        }
    }
}
