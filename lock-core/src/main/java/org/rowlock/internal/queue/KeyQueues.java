package org.rowlock.internal.queue;

import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.KeyEntries.Entrant;
import org.rowlock.internal.queue.QueuePolicy.Question;
import org.rowlock.internal.text.Log;

/**
 * All queues of one {@code RowLocks} object, or of the drop-in. Thread-safe.
 *
 * <p>{@link #join} creates an entry of an admission queue, and {@link #entry} an entry of a {@code ROW} queue. Each key
 * with entries has its own admission queue. Keys with the same hash share a {@code ROW} queue, which affects only
 * speed. Each hash has one policy, which is never removed.
 */
public final class KeyQueues {
    /**
     * The innermost call of each thread. The field is static, because a nested call must skip the queues of every
     * {@code KeyQueues} object: its thread may hold a lock, so waiting could cause a deadlock.
     */
    private static final ThreadLocal<@Nullable KeyEntries> ENTERED = new ThreadLocal<>();

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int HASHES = 1 << 12;

    private final Supplier<? extends QueuePolicy> policies;
    private final long longestNanos;
    private final AtomicReferenceArray<@Nullable KeyQueue> byHash = new AtomicReferenceArray<>(HASHES);
    private final ConcurrentMap<Object, KeyQueue> byKey = new ConcurrentHashMap<>();

    /** The calls that wait in admission queues or were admitted. */
    final Set<KeyEntries> calls = ConcurrentHashMap.newKeySet();

    public KeyQueues(Supplier<? extends QueuePolicy> policies) {
        this(policies, LONGEST_NANOS);
    }

    /** @param longestNanos a {@code ROW} queue admits more entries if no lock is granted for this time */
    public KeyQueues(Supplier<? extends QueuePolicy> policies, long longestNanos) {
        this.policies = policies;
        this.longestNanos = longestNanos;
    }

    /** Creates queues with a fixed width, or with an adaptive width if the given width is 0. */
    public static KeyQueues adaptive(int width) {
        OtherClients clients = new OtherClients(System::nanoTime);
        return new KeyQueues(() -> new AdaptivePolicy(width, System::nanoTime, clients));
    }

    public QueueEntry entry(int hash, @Nullable Object offer) {
        return new QueueEntry(queueOf(hash), hash, false, offer);
    }

    KeyQueue queueOf(int hash) {
        int at = (hash ^ hash >>> 16) & HASHES - 1;
        if (byHash.get(at) == null) {
            byHash.compareAndSet(at, null, new KeyQueue(new Object(), policies.get(), new Relief(longestNanos), null));
        }
        return Objects.requireNonNull(byHash.get(at));
    }

    public QueueEntry join(Object key, boolean shared, @Nullable Object offer) {
        KeyQueue beside = queueOf(key.hashCode());
        KeyQueue queue = byKey.compute(key, (same, present) -> {
            KeyQueue joined =
                    present == null ? new KeyQueue(beside.lock, beside.policy, Relief.NEVER, () -> part(key)) : present;
            joined.users++;
            return joined;
        });
        return new QueueEntry(queue, 0, shared, offer);
    }

    private void part(Object key) {
        byKey.computeIfPresent(key, (same, queue) -> --queue.users == 0 ? null : queue);
    }

    public int keysInUse() {
        return byKey.size();
    }

    /** Returns the innermost call of this thread in the admission queues of any object, or null. */
    public static @Nullable KeyEntries entered() {
        return ENTERED.get();
    }

    static void enter(@Nullable KeyEntries innermost) {
        ENTERED.set(innermost);
    }

    /** Returns the waiting and admitted calls, those that have been there for the longest time first. */
    public List<Entrant> entrants() {
        // Times of one moment keep the order, also if the thread pauses meanwhile.
        long now = System.nanoTime();
        return calls.stream()
                .flatMap(call -> call.entrants(now))
                .sorted(Comparator.comparing(Entrant::since).reversed())
                .toList();
    }

    /** Returns how many transactions wait in {@code ROW} queues. */
    public int queued() {
        return sum(KeyQueue::waiting);
    }

    /** Returns how many transactions the {@code ROW} queues have admitted to the server. */
    public int inside() {
        return sum(KeyQueue::inside);
    }

    /** Returns how many transactions of all queues may wait for a lock at the server. */
    int atServer() {
        return inside()
                + byKey.values().stream().mapToInt(KeyQueue::withoutHolder).sum();
    }

    /** Runs a query of {@code WaiterSql} for the table of the row. */
    public interface Count {
        String ask(String sql) throws SQLException;
    }

    /** Asks the server for an entry, and records the answer. The answer is unknown if the query fails. */
    public void ask(QueueEntry entry, Question question, Count count) {
        int answer = QueuePolicy.UNKNOWN;
        try {
            int before = atServer();
            int waiters = Integer.parseInt(count.ask(question.sql));
            answer = question == Question.OTHER_JVMS ? Math.max(0, waiters - Math.max(before, atServer())) : waiters;
        } catch (SQLException | RuntimeException e) {
            Log.debug("The clients that wait for a row could not be counted", e);
        }
        entry.answered(question, answer);
    }

    private int sum(ToIntFunction<KeyQueue> number) {
        return IntStream.range(0, HASHES)
                .mapToObj(byHash::get)
                .filter(Objects::nonNull)
                .mapToInt(number)
                .sum();
    }
}
