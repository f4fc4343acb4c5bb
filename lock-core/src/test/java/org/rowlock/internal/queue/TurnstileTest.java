package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.queue.Turnstile.Entry;

/** Whom a turnstile lets in, and when: by threads, without a server. */
class TurnstileTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** As wide as it is told; holds from the next who leaves on. */
    private static final class Told implements TurnstileWidth {
        private volatile int next;
        private int now;

        Told(int now) {
            this.now = now;
            this.next = now;
        }

        @Override
        public int now() {
            return now;
        }

        @Override
        public void left(long nanos, boolean crowded) {
            now = next;
        }
    }

    /** What came before it had its connection was a wait for the pool. */
    @Test
    void aStayBeginsWithTheConnection() throws Exception {
        AtomicLong stayed = new AtomicLong();
        Turnstile turnstile = new Turnstile(new TurnstileWidth() {
            @Override
            public int now() {
                return 1;
            }

            @Override
            public void left(long nanos, boolean crowded) {
                stayed.set(nanos);
            }
        });
        Entry entry = enter(turnstile, false);
        long entered = System.nanoTime();
        while (System.nanoTime() - entered < TimeUnit.MILLISECONDS.toNanos(2)) {
            Thread.onSpinWait();
        }
        long connected = System.nanoTime();
        entry.begin();
        turnstile.leave(entry);
        assertThat(stayed.get()).isBetween(0L, System.nanoTime() - connected);
    }

    @AfterEach
    void endThreads() throws Exception {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }

    private static Entry enter(Turnstile turnstile, boolean shared) throws InterruptedException {
        Entry entry = turnstile.tryEnter(shared);
        assertThat(entry).isNotNull();
        return entry;
    }

    /** In the queue, behind those who were there before. */
    private Future<Entry> queue(Turnstile turnstile, boolean shared) {
        int before = turnstile.waiting();
        Future<Entry> entering = threads.submit(() -> turnstile.enter(shared, Long.MAX_VALUE));
        Awaitility.await().atMost(DEADLINE).until(() -> turnstile.waiting() == before + 1);
        return entering;
    }

    private static Entry get(Future<Entry> entering) throws Exception {
        Entry entry = entering.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(entry).isNotNull();
        return entry;
    }

    @Test
    void aPlaceIsTheNextOnesBeforeHeWakes() throws Exception {
        Turnstile turnstile = Turnstile.ofWidth(1);
        Entry holder = enter(turnstile, false);
        Future<Entry> next = queue(turnstile, false);
        Future<Entry> last = queue(turnstile, false);

        turnstile.leave(holder);
        assertThat(turnstile.waiting()).isOne();
        assertThat(turnstile.tryEnter(false)).isNull();
        turnstile.leave(get(next));
        turnstile.leave(get(last));
        assertThat(turnstile.tryEnterFree(false)).isNotNull();
    }

    @Test
    void aWidthThatGrowsLetsThoseInWhoWaitAlready() throws Exception {
        Told width = new Told(1);
        Turnstile turnstile = new Turnstile(width);
        Entry holder = enter(turnstile, false);
        List<Future<Entry>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(queue(turnstile, false));
        }

        width.next = 3;
        turnstile.leave(holder);
        for (Future<Entry> each : waiting.subList(0, 3)) {
            get(each);
        }
        assertThat(turnstile.waiting()).isOne();
        turnstile.leave(get(waiting.get(0)));
        get(waiting.get(3));
    }

    @Test
    void aWidthThatShrinksLetsNobodyInUntilSoManyHaveLeft() throws Exception {
        Told width = new Told(3);
        Turnstile turnstile = new Turnstile(width);
        List<Entry> inside = List.of(enter(turnstile, false), enter(turnstile, false), enter(turnstile, false));
        Future<Entry> next = queue(turnstile, false);

        width.next = 1;
        turnstile.leave(inside.get(0));
        turnstile.leave(inside.get(1));
        assertThat(turnstile.waiting()).isOne();
        turnstile.leave(inside.get(2));
        get(next);
    }

    @Test
    void aPlaceThatNobodyUsedTeachesNothing() throws Exception {
        Told width = new Told(1);
        Turnstile turnstile = new Turnstile(width);
        width.next = 2;
        turnstile.leaveUnused(enter(turnstile, false));
        enter(turnstile, false);
        assertThat(turnstile.tryEnter(false)).isNull();
    }

    /** Those who share and those who do not never meet, no more are in than may be, and everybody has his turns. */
    @Test
    void nobodyStarvesHoweverTheWidthChanges() throws Exception {
        int most = 5;
        Random widths = new Random(1);
        Turnstile turnstile = new Turnstile(new TurnstileWidth() {
            private int now = 1;

            @Override
            public int now() {
                return now;
            }

            @Override
            public void left(long nanos, boolean crowded) {
                now = 1 + widths.nextInt(most);
            }
        });
        AtomicInteger alone = new AtomicInteger();
        AtomicInteger sharing = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            int number = i;
            all.add(threads.submit(() -> {
                Random random = new Random(number);
                int turns = 0;
                for (int turn = 0; turn < 500; turn++) {
                    boolean shared = random.nextInt(3) == 0;
                    long bound = random.nextInt(4) == 0 ? 1 + random.nextInt(100_000) : Long.MAX_VALUE;
                    Entry entry = turnstile.enter(shared, bound);
                    if (entry == null) {
                        wrong.addAndGet(bound == Long.MAX_VALUE ? 1 : 0);
                        continue;
                    }
                    int inside = (shared ? sharing : alone).incrementAndGet();
                    wrong.addAndGet(shared ? alone.get() : sharing.get() + Math.max(0, inside - most));
                    Thread.yield();
                    (shared ? sharing : alone).decrementAndGet();
                    turnstile.leave(entry);
                    turns++;
                }
                return turns;
            }));
        }
        for (Future<Integer> each : all) {
            assertThat(each.get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isPositive();
        }
        assertThat(wrong).hasValue(0);
        assertThat(turnstile.waiting()).isZero();
        assertThat(turnstile.tryEnterFree(false)).isNotNull();
    }
}
