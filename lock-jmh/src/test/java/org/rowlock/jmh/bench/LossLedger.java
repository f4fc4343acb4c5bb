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
 * What clients have seen of their transactions: when each was inside a lock, and what came of its commit. Compared at
 * the end with what the server has. Thread-safe.
 *
 * <p>A client whose server is gone may believe for a while that it still holds its lock, although the next one is
 * inside already. That is no double entry as long as it cannot commit any more. So if a client finds another one
 * inside, that is only noted; it was a double entry if that other one's transaction is found to have committed. Whether
 * it was told so does not matter. A client leaves before it asks to commit, since the server may let the next one in
 * before its answer arrives; what happens in between, the tokens tell.
 */
final class LossLedger {
    private static final long NOBODY = 0;

    private final AtomicLong transactions = new AtomicLong();
    private final AtomicLongArray inside;
    /** Transactions that were inside a key's lock when another got it. */
    private final Queue<Long> overtaken = new ConcurrentLinkedQueue<>();

    private final Set<Long> asked = ConcurrentHashMap.newKeySet();
    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();

    /**
     * A transaction that is in the table.
     *
     * @param transaction its number here
     * @param key the key whose token it has raised
     * @param token what it has raised it to
     */
    record Entry(long transaction, int key, long token) {}

    /**
     * What is wrong.
     *
     * @param doubleEntries locks got while another transaction was inside that committed later
     * @param lostUpdates committed raises of a token that are missing from it, or were raises to the same
     * @param lostCommits transactions that the server has acknowledged, and does not have
     * @param strayCommits transactions that the server has, and nobody has asked it to commit
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

    /** A new transaction's number. */
    long begin() {
        return transactions.incrementAndGet();
    }

    /** To be called as soon as the lock is held. */
    void enter(int key, long transaction) {
        long found = inside.getAndSet(key, transaction);
        if (found != NOBODY) {
            overtaken.add(found);
        }
    }

    /** To be called before the commit is asked for, or when the transaction has failed. */
    void leave(int key, long transaction) {
        inside.compareAndSet(key, transaction, NOBODY);
    }

    /** From now on it may commit. */
    void commitAsked(long transaction) {
        asked.add(transaction);
    }

    void commitAcknowledged(long transaction) {
        acknowledged.add(transaction);
    }

    int acknowledged() {
        return acknowledged.size();
    }

    /** How many commits were asked for and never answered. */
    int unanswered() {
        return asked.size() - acknowledged.size();
    }

    /**
     * @param journal every transaction that the server has
     * @param tokens by key, for every key that has ever been raised
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
