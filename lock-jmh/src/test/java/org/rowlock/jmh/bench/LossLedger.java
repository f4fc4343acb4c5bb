package org.rowlock.jmh.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Records the transactions of all clients: which transaction held a lock at a time, and the outcome of each commit. At
 * the end, these records are compared with the data on the server. Thread-safe.
 *
 * <p>After a crash, a client can believe that it still holds its lock, although another client has acquired the lock.
 * This is no error if the first client can no longer commit. If a client finds another transaction inside, the ledger
 * therefore only notes the other transaction. A double entry is an error only if the noted transaction has committed,
 * even if its client received no answer. A client leaves before the client requests the commit, because the server can
 * grant the lock to another client before the answer to the commit arrives. The tokens show errors in the time between.
 */
final class LossLedger {
    private static final long NOBODY = 0;

    private final AtomicLong transactions = new AtomicLong();
    private final AtomicLongArray inside;
    /** The transactions that were inside a key's lock when another transaction acquired the lock. */
    private final Queue<Long> overtaken = new ConcurrentLinkedQueue<>();

    private final Set<Long> asked = ConcurrentHashMap.newKeySet();
    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();

    /**
     * A transaction in the journal on the server.
     *
     * @param transaction the number of the transaction in this ledger
     * @param key the key whose token the transaction has raised
     * @param token the value to which the transaction has raised the token
     */
    record Entry(long transaction, int key, long token) {}

    /**
     * The number of errors of each kind.
     *
     * @param doubleEntries locks that were acquired while another transaction was inside, if the other transaction
     *     committed later
     * @param lostUpdates committed raises that are missing from a token's value, or that raised the token to the same
     *     value as another raise
     * @param lostCommits transactions that the server has acknowledged but not stored
     * @param strayCommits transactions that the server has stored although no client requested their commit
     */
    record Verdict(int doubleEntries, long lostUpdates, int lostCommits, int strayCommits) {
        void check() {
            if (doubleEntries != 0 || lostUpdates != 0 || lostCommits != 0 || strayCommits != 0) {
                throw new InvariantViolation(
                        "after the crash there are " + doubleEntries + " double entries, " + lostUpdates
                                + " lost updates, " + lostCommits + " acknowledged commits that are gone, and "
                                + strayCommits + " commits that nobody asked for");
            }
        }
    }

    LossLedger(int keys) {
        this.inside = new AtomicLongArray(keys);
    }

    /** Returns the number of a new transaction. */
    long begin() {
        return transactions.incrementAndGet();
    }

    /** Must be called immediately after the lock is acquired. */
    void enter(int key, long transaction) {
        long found = inside.getAndSet(key, transaction);
        if (found != NOBODY) {
            overtaken.add(found);
        }
    }

    /** Must be called before the commit is requested, or after the transaction has failed. */
    void leave(int key, long transaction) {
        inside.compareAndSet(key, transaction, NOBODY);
    }

    /** Records that the commit is requested. From now on it is possible that the transaction has committed. */
    void commitAsked(long transaction) {
        asked.add(transaction);
    }

    void commitAcknowledged(long transaction) {
        acknowledged.add(transaction);
    }

    int acknowledged() {
        return acknowledged.size();
    }

    /** The number of commits that were requested but never answered. */
    int unanswered() {
        return asked.size() - acknowledged.size();
    }

    /**
     * @param journal every transaction that the server has stored
     * @param tokens the token of every key that was ever raised, by key
     */
    Verdict compare(List<Entry> journal, Map<Integer, Long> tokens) {
        Set<Long> committed = new HashSet<>();
        Map<Integer, List<Long>> raises = new HashMap<>();
        for (Entry entry : journal) {
            committed.add(entry.transaction());
            raises.computeIfAbsent(entry.key(), key -> new ArrayList<>()).add(entry.token());
        }
        int doubleEntries = (int) overtaken.stream().filter(committed::contains).count();
        Set<Integer> keys = new HashSet<>(raises.keySet());
        keys.addAll(tokens.keySet());
        long lostUpdates = 0;
        for (int key : keys) {
            List<Long> written = raises.getOrDefault(key, List.of());
            long missing = Math.abs(written.size() - tokens.getOrDefault(key, 0L));
            lostUpdates +=
                    Math.max(missing, written.size() - Set.copyOf(written).size());
        }
        int lostCommits = (int)
                acknowledged.stream().filter(each -> !committed.contains(each)).count();
        int strayCommits =
                (int) committed.stream().filter(each -> !asked.contains(each)).count();
        return new Verdict(doubleEntries, lostUpdates, lostCommits, strayCommits);
    }
}
